//! The document of all addresses, the page to browse it, and MCP beside them.

use serde_json::{Value, json};

use crate::gateway::Gateway;

#[test]
fn the_document_and_its_page_are_open_and_ask_nobody_else() {
    let gateway = Gateway::start();
    let document = gateway.anybody("GET", "/v1/openapi.json").send();
    assert_eq!((document.status, &document.value()["openapi"]), (200, &json!("3.1.0")));
    let page = gateway.anybody("GET", "/docs").send();
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
    for (path, kind) in [("/docs/page.js", "text/javascript"), ("/docs/page.css", "text/css")] {
        let part = gateway.anybody("GET", path).send();
        assert!(part.header("content-type").unwrap().starts_with(kind), "{path}");
        assert!(page.text().contains(path));
        assert!(!part.text().contains("http"), "{path}");
    }
    assert!(!page.text().contains("http:") && !page.text().contains("https:"));
}

#[test]
fn every_address_of_the_document_is_served() {
    let gateway = Gateway::start();
    let document = gateway.anybody("GET", "/v1/openapi.json").send().value();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in ["get", "post", "put", "patch", "delete"] {
            let address = path.replace("{id}", "nobody").replace("{path}", "a/b");
            let method: &'static str = match method {
                "get" => "GET",
                "post" => "POST",
                "put" => "PUT",
                "patch" => "PATCH",
                _ => "DELETE",
            };
            let served = gateway.anybody(method, &address).send().status != 405;
            let said = item.get(method.to_ascii_lowercase()).is_some();
            assert_eq!(served, said, "{method} {path}");
        }
    }
}

fn call(gateway: &Gateway, path: &str, token: &str, message: &Value) -> crate::client::Reply {
    let request = gateway.anybody("POST", path).token(token).json(message);
    request.header("accept", "application/json, text/event-stream").send()
}

fn tool(name: &str, arguments: &Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

#[test]
fn a_tool_that_is_called_over_mcp_goes_through_the_gateway() {
    let gateway = Gateway::start();
    gateway.create("coder");
    let token = gateway.agent("coder");
    let write = tool("write", &json!({"file_path": "a.txt", "content": "over mcp\n"}));
    let reply = call(&gateway, "/mcp", &token, &write);
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.value()["result"]["isError"], false, "{}", reply.text());
    let file = gateway.directory("coder").join("a.txt");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "over mcp\n");
    // An agent has its own workspace, an operator the one that is named.
    for path in ["/mcp/default", "/mcp/nobody"] {
        let refused = call(&gateway, path, &token, &write).refusal();
        assert_eq!(refused, (403, "PERMISSION_DENIED".to_owned()), "{path}");
    }
    assert_eq!(call(&gateway, "/mcp", &gateway.operator, &write).refusal().0, 400);
    let read = tool("read", &json!({"file_path": "a.txt"}));
    let reply = call(&gateway, "/mcp/coder", &gateway.operator, &read);
    assert!(reply.text().contains("1: over mcp"), "{}", reply.text());
    let gone = call(&gateway, "/mcp/nobody", &gateway.operator, &read).refusal();
    assert_eq!(gone, (404, "AGENT_NOT_FOUND".to_owned()));
    assert_eq!(call(&gateway, "/mcp", "garth_0", &read).refusal().0, 401);
    let origin = gateway.anybody("POST", "/mcp").token(&token).json(&read);
    assert_eq!(origin.header("origin", "http://evil.example").send().refusal().0, 403);
    // A refusal is a result of the tool, with its code.
    let missing = tool("read", &json!({"file_path": "gone.txt"}));
    let reply = call(&gateway, "/mcp", &token, &missing);
    assert_eq!(reply.value()["result"]["isError"], true);
    assert_eq!(reply.value()["result"]["structuredContent"]["code"], "FILE_NOT_FOUND");
}

#[test]
fn tools_that_could_only_be_refused_are_not_offered() {
    let gateway = Gateway::start();
    let sent = json!({"id": "reader", "provider": "none", "readOnly": true});
    gateway.ask("POST", "/v1/workspaces").json(&sent).send();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let names = |path: &str| -> Vec<String> {
        let reply = call(&gateway, path, &gateway.operator, &list).value();
        let tools = reply["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let (all, few) = (names("/mcp/default"), names("/mcp/reader"));
    for name in ["bash", "write", "edit"] {
        assert!(all.iter().any(|one| one == name) && few.iter().all(|one| one != name), "{name}");
    }
    assert!(few.iter().any(|one| one == "read"));
}

/// Calls a tool as a client of the stateless revision does, one that can ask its person.
fn stateless(gateway: &Gateway, token: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let name = params["name"].as_str().unwrap().to_owned();
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let request = gateway.anybody("POST", "/mcp").token(token).json(&message);
    let request = request.header("mcp-protocol-version", "2026-07-28");
    let request = request.header("mcp-method", "tools/call").header("mcp-name", &name);
    let reply = request.header("accept", "application/json, text/event-stream").send();
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.value()["result"].clone()
}

#[test]
fn what_needs_approval_is_asked_of_the_person_before_the_client() {
    let gateway = Gateway::start();
    let rules = json!({"rules": [{"operation": "write", "path": "asked", "then": "ask"}]});
    let agent = json!({"id": "coder", "provider": "none", "approvals": rules});
    let made = gateway.ask("POST", "/v1/workspaces").json(&agent).send();
    assert_eq!(made.status, 200, "{}", made.text());
    let token = gateway.agent("coder");
    let file = gateway.directory("coder").join("asked/a.txt");
    let write = |content: &str| {
        let arguments = json!({"file_path": "asked/a.txt", "content": content});
        json!({"name": "write", "arguments": arguments})
    };

    let asked = stateless(&gateway, &token, write("yes\n"));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = &asked["inputRequests"]["approval"];
    assert_eq!(question["method"], "elicitation/create", "{asked}");
    assert!(question["params"]["message"].as_str().unwrap().contains("asked/a.txt"), "{asked}");
    assert!(!file.exists());

    let answered = |content: &str, asked: &Value, answer: Value| {
        let mut params = write(content);
        params["requestState"] = asked["requestState"].clone();
        params["inputResponses"] = json!({"approval": answer});
        stateless(&gateway, &token, params)
    };
    let allow = json!({"action": "accept", "content": {"allow": true}});
    // It was allowed to write this, and nothing else.
    let other = answered("no\n", &asked, allow.clone());
    assert_eq!((&other["isError"], file.exists()), (&json!(true), false), "{other}");
    let done = answered("yes\n", &asked, allow.clone());
    assert_eq!(done["resultType"], "complete", "{done}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "yes\n");
    // And once.
    let again = answered("yes\n", &asked, allow);
    assert_eq!(again["isError"], true, "{again}");
    for no in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept", "content": {"allow": false}}),
    ] {
        let asked = stateless(&gateway, &token, write("no\n"));
        let refused = answered("no\n", &asked, no);
        assert_eq!(refused["isError"], true, "{refused}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "yes\n");
}
