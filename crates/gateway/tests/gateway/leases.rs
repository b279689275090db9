//! Leases and epochs: never two who write, and the store that commits decides.

use std::time::Duration;

use garth_contract::{Code, Result};
use garth_gateway::{Clock, Node, Registry, Settings, Store};

use crate::stage::id_of;

/// An hour, so that no thread renews a lease while a test looks at it.
const TTL: Duration = Duration::from_secs(3_600);

struct Nodes {
    registry: Registry,
    clock: Clock,
    dir: tempfile::TempDir,
}

impl Nodes {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Clock::set_to(1_800_000_000_000);
        let store = Store::open(&dir.path().join("garth.db"), clock.clone()).unwrap();
        let registry = Registry::new(store);
        registry.create(&id_of("own"), &Settings::new("local")).await.unwrap();
        Self { registry, clock, dir }
    }

    async fn join(&self, name: &str) -> garth_gateway::Lease {
        let node = Node { id: name.to_owned(), addr: "127.0.0.1:1".to_owned(), ttl: TTL };
        self.registry.join(node).await.unwrap()
    }
}

/// Takes away what a node thinks it has.
fn end_lease(nodes: &Nodes, name: &str) {
    let connection = rusqlite::Connection::open(nodes.dir.path().join("garth.db")).unwrap();
    connection.busy_timeout(crate::stage::DEADLINE).unwrap();
    connection.execute("UPDATE node SET expires_ms = 0 WHERE id = ?1", [name]).unwrap();
}

fn unavailable<T>(result: Result<T>) -> bool {
    result.is_err_and(|error| error.code() == Code::ProviderUnavailable)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_node_at_a_time_has_a_workspace() {
    let nodes = Nodes::new().await;
    let (a, b) = (nodes.join("a").await, nodes.join("b").await);
    let owned = a.acquire(&id_of("own")).await.unwrap();
    assert_eq!((owned.epoch, owned.seq, owned.manifest.as_deref()), (1, 0, None));
    assert!(unavailable(b.acquire(&id_of("own")).await));
    a.release(owned).await.unwrap();
    assert_eq!(b.acquire(&id_of("own")).await.unwrap().epoch, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_is_fenced_by_the_epoch() {
    let nodes = Nodes::new().await;
    let (a, b) = (nodes.join("a").await, nodes.join("b").await);
    let stale = a.acquire(&id_of("own")).await.unwrap();
    let stale = a.commit(stale, b"one".to_vec()).await.unwrap();
    assert_eq!(stale.seq, 1);
    nodes.clock.advance(TTL);
    tokio::task::block_in_place(|| b.renew()).unwrap();
    let taken = b.acquire(&id_of("own")).await.unwrap();
    assert_eq!((taken.epoch, taken.seq, taken.manifest.as_deref()), (2, 1, Some(&b"one"[..])));
    // The old owner comes back, with a lease that is live again.
    tokio::task::block_in_place(|| a.renew()).unwrap();
    assert!(unavailable(a.commit(stale.clone(), b"two".to_vec()).await));
    let taken = b.commit(taken, b"three".to_vec()).await.unwrap();
    assert_eq!(taken.seq, 2);
    assert!(unavailable(a.commit(stale, b"four".to_vec()).await));
    let agent = nodes.registry.get(&id_of("own")).await.unwrap();
    assert_eq!((agent.epoch, agent.seq), (2, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_is_committed_once() {
    let nodes = Nodes::new().await;
    let a = nodes.join("a").await;
    let owned = a.acquire(&id_of("own")).await.unwrap();
    let (one, other) =
        tokio::join!(a.commit(owned.clone(), b"x".to_vec()), a.commit(owned, b"y".to_vec()));
    assert!(one.is_ok() != other.is_ok());
    assert_eq!(nodes.registry.get(&id_of("own")).await.unwrap().seq, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_without_a_live_lease_does_nothing() {
    let nodes = Nodes::new().await;
    let a = nodes.join("a").await;
    let owned = a.acquire(&id_of("own")).await.unwrap();
    nodes.clock.advance(TTL);
    assert!(unavailable(a.check()));
    assert!(unavailable(a.commit(owned, b"x".to_vec()).await));
    assert!(unavailable(a.acquire(&id_of("own")).await));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_registry_decides_also_when_a_node_thinks_its_lease_is_live() {
    let nodes = Nodes::new().await;
    let (a, b) = (nodes.join("a").await, nodes.join("b").await);
    let owned = a.acquire(&id_of("own")).await.unwrap();
    end_lease(&nodes, "a");
    assert!(a.check().is_ok(), "the node thinks so");
    assert!(unavailable(a.commit(owned, b"x".to_vec()).await));
    assert!(unavailable(a.acquire(&id_of("own")).await));
    assert_eq!(b.acquire(&id_of("own")).await.unwrap().epoch, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_stops_a_little_before_its_lease_is_over() {
    let nodes = Nodes::new().await;
    let (a, b) = (nodes.join("a").await, nodes.join("b").await);
    a.acquire(&id_of("own")).await.unwrap();
    nodes.clock.advance(TTL - TTL / 10);
    assert!(unavailable(a.check()));
    tokio::task::block_in_place(|| b.renew()).unwrap();
    assert!(unavailable(b.acquire(&id_of("own")).await), "the lease in the registry is live still");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_session_of_a_node_takes_over_from_the_last() {
    let nodes = Nodes::new().await;
    let first = nodes.join("a").await;
    let owned = first.acquire(&id_of("own")).await.unwrap();
    let second = nodes.join("a").await;
    assert_ne!(first.session(), second.session());
    assert_eq!(second.acquire(&id_of("own")).await.unwrap().epoch, owned.epoch + 1);
    assert!(unavailable(first.commit(owned, b"x".to_vec()).await));
    assert!(unavailable(tokio::task::block_in_place(|| first.renew())));
    assert!(unavailable(first.check()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_session_that_acquires_again_fences_itself() {
    let nodes = Nodes::new().await;
    let a = nodes.join("a").await;
    let old = a.acquire(&id_of("own")).await.unwrap();
    let new = a.acquire(&id_of("own")).await.unwrap();
    assert_eq!(new.epoch, old.epoch + 1);
    assert!(unavailable(a.commit(old, b"x".to_vec()).await));
    assert!(a.commit(new, b"y".to_vec()).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_epoch_never_goes_back_not_even_for_an_agent_made_anew() {
    let nodes = Nodes::new().await;
    let a = nodes.join("a").await;
    let old = a.acquire(&id_of("own")).await.unwrap();
    nodes.registry.delete(&id_of("own")).await.unwrap();
    assert_eq!(a.acquire(&id_of("own")).await.unwrap_err().code(), Code::AgentNotFound);
    nodes.registry.create(&id_of("own"), &Settings::new("local")).await.unwrap();
    assert!(unavailable(a.commit(old.clone(), b"x".to_vec()).await));
    assert!(a.acquire(&id_of("own")).await.unwrap().epoch > old.epoch);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_is_renewed_by_itself() {
    let nodes = Nodes::new().await;
    let node = Node { id: "a".to_owned(), addr: String::new(), ttl: Duration::from_millis(300) };
    let lease = nodes.registry.join(node).await.unwrap();
    nodes.clock.advance(Duration::from_millis(290));
    // The clock stands, so only a renewal makes it good again.
    crate::stage::until("the lease is renewed", async || lease.check().is_ok()).await;
}
