//! Budgets: what is over is refused with the time after which it fits.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::server::Server;

fn retry_after(reply: &Value) -> u64 {
    let error = &reply["error"];
    assert_eq!(error["code"], "RATE_LIMIT_EXCEEDED", "{reply}");
    assert_eq!(error["details"]["retryAfterMs"], error["retryAfterMs"], "{reply}");
    error["retryAfterMs"].as_u64().unwrap()
}

#[test]
fn sixty_requests_a_minute_and_the_next_when_it_was_said() {
    let server = Server::start();
    // The workspace's own budget is out of the way.
    let limits = json!({"limits": {"requestsPerMinute": 100_000}});
    server.operator().ok("agents.create", json!({"agentId": "bird", "settings": limits}));
    let mut client = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    let list = json!({"agentId": "bird"});
    let begun = Instant::now();
    let mut taken = 0;
    let refused = loop {
        let reply = client.call("worktree.list", list.clone());
        if reply["ok"] == true {
            taken += 1;
            continue;
        }
        break reply;
    };
    // The budget refills while it is used: one a second.
    let refilled = begun.elapsed().as_secs() + 1;
    assert!(taken >= 60 && taken <= 60 + refilled, "{taken} in {:?}", begun.elapsed());
    let wait = retry_after(&refused);
    assert!(wait <= 1_000, "{wait}");
    // Tools and the connection itself are counted apart.
    client.ok("ps", json!({"agentId": "bird"}));
    client.ok("connect", json!({}));
    for _ in 0..3 {
        // Until the next refusal, for what a slow machine let refill.
        let refused = loop {
            let reply = client.call("worktree.list", list.clone());
            if reply["ok"] != true {
                break reply;
            }
        };
        let wait = retry_after(&refused);
        sleep(Duration::from_millis(wait));
        assert_eq!(client.call("worktree.list", list.clone())["ok"], true, "after {wait} ms");
    }
}

#[test]
fn a_budget_is_a_callers_own_and_a_workspaces() {
    let server = Server::start();
    let mut operator = server.operator();
    let limits = json!({"limits": {"requestsPerMinute": 5}});
    operator.ok("agents.create", json!({"agentId": "bird", "settings": limits}));
    operator.ok("agents.create", json!({"agentId": "fish"}));
    let mut bird = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    let mut twin = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    let mut fish = server.client(&server.token(json!({"role": "agent", "agentId": "fish"})).0);
    let exhausted =
        (0..100).any(|_| bird.call("worktree.list", json!({"agentId": "bird"}))["ok"] != true);
    assert!(exhausted);
    // Another token of the same agent finds the workspace's budget used.
    let refused =
        (0..20).any(|_| twin.call("worktree.list", json!({"agentId": "bird"}))["ok"] != true);
    assert!(refused);
    fish.ok("worktree.list", json!({"agentId": "fish"}));
}

#[test]
fn a_flood_of_one_token_leaves_another_unharmed() {
    let server = Server::start();
    let (flooding, working) = (server.agent_token("flood"), server.agent_token("work"));
    let mut floods: Vec<_> = (0..4).map(|_| server.client(&flooding)).collect();
    let mut sent = 0;
    let mut worker = server.client(&working);
    for number in 0..50 {
        for flood in &mut floods {
            for _ in 0..20 {
                flood.begin("worktree.list", json!({"agentId": "flood"}));
                sent += 1;
            }
        }
        let content = number.to_string();
        if number % 2 == 0 {
            worker
                .ok("worktree.write", json!({"agentId": "work", "path": "a", "content": content}));
        }
    }
    let mut refused = 0;
    for flood in &mut floods {
        for number in 1..=sent / 4 {
            let reply = flood.reply(&format!("r{number}"));
            refused += u64::from(reply["ok"] == false);
        }
    }
    println!("{sent} requests of one token: {refused} refused; another worked on meanwhile");
    assert!(refused > 500, "{refused}");
}

#[test]
fn bytes_have_a_budget_too() {
    let server = Server::start();
    let limits = json!({"limits": {"bytesPerMinute": 1_000_000, "requestsPerMinute": 1_000}});
    server.operator().ok("agents.create", json!({"agentId": "bird", "settings": limits}));
    let mut client = server.client(&server.token(json!({"role": "agent", "agentId": "bird"})).0);
    let params = json!({"agentId": "bird", "path": "a", "content": "x".repeat(600_000)});
    client.ok("worktree.write", params.clone());
    let wait = retry_after(&client.call("worktree.write", params));
    assert!((1_000..=60_000).contains(&wait), "{wait}");
}
