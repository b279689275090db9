//! The peer for files: axum that writes a body to a file beside its target, waits for the
//! disk, renames it, and sends it again; and nothing else.

use std::{
    fs::{self, File},
    io::{Read, Write},
    path::PathBuf,
};

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
    routing::get,
    serve::ListenerExt,
};
use futures::{StreamExt, stream};
use tokio::{net::TcpListener, task::block_in_place};

/// How much is read at once.
const PIECE: usize = 1 << 20;

/// Serves one file of a directory until its parent closes its input.
pub(crate) fn run(directory: PathBuf) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let routes = Router::new().route("/file", get(down).put(up)).with_state(directory);
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

async fn up(State(directory): State<PathBuf>, body: Body) -> StatusCode {
    let (temporary, target) = (directory.join("file.tmp"), directory.join("file"));
    let mut file = File::create(&temporary).unwrap();
    let mut body = body.into_data_stream();
    while let Some(piece) = body.next().await {
        let piece = piece.unwrap();
        block_in_place(|| file.write_all(&piece).unwrap());
    }
    block_in_place(|| {
        file.sync_all().unwrap();
        fs::rename(&temporary, &target).unwrap();
        File::open(&directory).unwrap().sync_all().unwrap();
    });
    StatusCode::CREATED
}

async fn down(State(directory): State<PathBuf>) -> impl IntoResponse {
    let file = File::open(directory.join("file")).unwrap();
    let length = file.metadata().unwrap().len();
    let pieces = stream::unfold(file, |mut file| async {
        let piece = block_in_place(|| {
            let mut piece = Vec::with_capacity(PIECE);
            Read::take(&mut file, PIECE as u64).read_to_end(&mut piece).unwrap();
            piece
        });
        (!piece.is_empty()).then_some((Ok::<_, std::io::Error>(piece), file))
    });
    ([(header::CONTENT_LENGTH, length)], Body::from_stream(pieces))
}
