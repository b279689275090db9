//! The other side: a WebSocket that answers every text with one of a given length.

use std::io::Write;

use axum::{
    Router,
    extract::{
        Query,
        ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade},
    },
    routing::get,
    serve::ListenerExt,
};
use futures::{FutureExt, SinkExt, StreamExt};
use tokio::net::TcpListener;

/// Serves until its parent closes its input.
pub(crate) fn run() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let routes = Router::new().route(
            "/v1/ws",
            get(async |Query(size): Query<Vec<(String, usize)>>, upgrade: WebSocketUpgrade| {
                let size = size.first().map_or(0, |(_, size)| *size);
                upgrade.write_buffer_size(128 << 10).on_upgrade(move |socket| answer(socket, size))
            }),
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        std::io::stdout().flush().unwrap();
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
        let serving = async { axum::serve(listener, routes).await.unwrap() };
        let parent = tokio::task::spawn_blocking(|| {
            let _ = std::io::stdin().read_line(&mut String::new());
        });
        tokio::select! {
            () = serving => {}
            _ = parent => {}
        }
    });
    runtime.shutdown_background();
}

async fn answer(mut socket: WebSocket, size: usize) {
    let text = Utf8Bytes::from("x".repeat(size));
    while let Some(Ok(first)) = socket.next().await {
        if !matches!(first, Message::Text(_)) {
            continue;
        }
        let mut count = 1;
        while let Some(Some(Ok(next))) = socket.next().now_or_never() {
            count += usize::from(matches!(next, Message::Text(_)));
        }
        for _ in 0..count {
            if socket.feed(Message::Text(text.clone())).await.is_err() {
                return;
            }
        }
        if socket.flush().await.is_err() {
            return;
        }
    }
}
