//! MCP over HTTP: the tools and files of one workspace, each call through the gateway.
//!
//! Nothing is kept between two requests: every one says who asks, and is served by a
//! server of its own.

mod approval;

use std::{borrow::Cow, sync::Arc};

use axum::{
    body::Body,
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use garth_contract::{Code, Error, Result};
use garth_gateway::{AgentId, Call, Caller, Credential, Moment, Role, approvals::Hears};
use garth_ops::{Allows, Dialect, Failure, Tool};
use http_body_util::{BodyExt, Full};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, Implementation, InitializeResult, ListPromptsRequestMethod,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, ServerCapabilities, SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    asked::{Asked, Named},
    body::{self, Whole},
    caller::{Known, TRACE, known},
    refused,
    tools::Prepared,
};
use crate::{
    mcp::{
        answer, catalogue,
        progress::Progress,
        resources,
        server::{cancelled, no_method, protocol_error, unread},
        updates,
    },
    serve::{
        answer::{Along, Answer, Follows},
        app::App,
    },
};

/// How long a client may keep the list of tools, in milliseconds: a change of the
/// agent's settings can change it.
const TOOLS_TTL: u64 = 60_000;
/// The tools that are offered.
const DIALECT: &Dialect = &garth_ops::workspace::DIALECT;
/// The methods that are answered.
const METHODS: &[&str] = &[
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "completion/complete",
    LISTEN,
];
/// The one whose answer goes on.
const LISTEN: &str = "subscriptions/listen";
/// Those whose answer tells a model about the workspace.
const TELLING: &[&str] = &["initialize", "server/discover"];
/// Which agent's workspace an operator means.
const AGENT: &str = "x-garth-agent";

/// Serves the workspace of the agent whose token it is, or that a header names.
pub(super) async fn own(State(app): State<Arc<App>>, asked: Asked, request: Request) -> Response {
    let named = asked.header(AGENT).map(ToOwned::to_owned);
    serve(app, asked, named, request).await
}

/// Serves the workspace of the agent that the address names.
pub(super) async fn of(
    State(app): State<Arc<App>>,
    Named(agent): Named<String>,
    asked: Asked,
    request: Request,
) -> Response {
    serve(app, asked, Some(agent), request).await
}

async fn serve(app: Arc<App>, asked: Asked, named: Option<String>, request: Request) -> Response {
    let server = async {
        let Known { caller, credential } = known(&app, &asked).await?;
        let agent = agent(&caller, named.as_deref())?;
        let allows = allows(&app, &caller, &agent).await?;
        let instructions = String::new();
        Ok(Server { app: Arc::clone(&app), caller, credential, agent, allows, instructions })
    };
    let mut server: Server = match server.await {
        Ok(server) => server,
        Err(error) => return refused(&error),
    };
    let (parts, body) = request.into_parts();
    let Whole { bytes, taken } = match body::whole(&app.memory, body, app.most_frame as u64).await {
        Ok(whole) => whole,
        Err(error) => return refused(&error),
    };
    server.caller = server.caller.traced(trace(&bytes).as_deref());
    let method = method(&bytes);
    if method.as_deref().is_some_and(|method| TELLING.contains(&method)) {
        match server.told().await {
            Ok(instructions) => server.instructions = instructions,
            Err(error) => return refused(&error),
        }
    }
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(method.as_deref() != Some(LISTEN))
        // Both were checked before anybody came here.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let request = axum::http::Request::from_parts(parts, Full::new(bytes));
    let response = service.handle(request).await;
    drop(taken);
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        return response.map(|_| Body::empty()).into_response();
    }
    response.map(|body| Body::new(body.map_err(|never| match never {}))).into_response()
}

/// The method that a request asks for.
fn method(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Asks {
        method: String,
    }
    serde_json::from_slice(bytes).ok().map(|Asks { method }| method)
}

/// The trace that a request is a part of, which stands beside its parameters.
fn trace(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Asks {
        params: Params,
    }
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Meta,
    }
    #[derive(Deserialize)]
    struct Meta {
        traceparent: String,
    }
    // Most have none, and are not to be read once more for it.
    memchr::memmem::find(bytes, TRACE.as_bytes())?;
    serde_json::from_slice(bytes).ok().map(|asks: Asks| asks.params.meta.traceparent)
}

/// Whose workspace is served.
fn agent(caller: &Caller, named: Option<&str>) -> Result<AgentId> {
    match (caller.role(), named) {
        (Role::Operator, Some(named)) => AgentId::parse(named),
        (Role::Operator, None) => {
            let message = "an operator says whose workspace is meant";
            Err(Error::new(Code::InvalidParams, message).hint("Connect to /mcp/{agent}."))
        }
        (Role::Agent(own), None) => Ok(own.clone()),
        (Role::Agent(own), Some(named)) if own.as_str() == named => Ok(own.clone()),
        (Role::Agent(_), Some(_)) | (Role::User, _) => Err(Error::of(Code::PermissionDenied)),
    }
}

/// What the workspace lets tools do, by its settings.
async fn allows(app: &App, caller: &Caller, agent: &AgentId) -> Result<Allows> {
    let found = app.gateway.registry().get(agent).await;
    let settings = found.map_err(|error| match caller.role() {
        Role::Operator => error,
        Role::Agent(_) | Role::User => Error::of(Code::PermissionDenied),
    });
    let settings = settings?.settings;
    let run = settings.provider != "none";
    Ok(Allows { write: !settings.read_only, run, git: run })
}

/// The server of one request.
#[derive(Clone)]
struct Server {
    app: Arc<App>,
    caller: Caller,
    credential: Credential,
    agent: AgentId,
    allows: Allows,
    /// What a model is told, where it is to be.
    instructions: String,
}

impl Server {
    fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        let allows = self.allows;
        DIALECT.tools.iter().filter(move |tool| tool.needs.met(allows))
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = garth_ops::find(DIALECT.tools, &request.name) else {
            let names: Vec<_> = self.tools().map(|tool| tool.name).collect();
            let message =
                format!("there is no tool {:?}; the tools are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let hears = approval::hears(context.meta.client_capabilities().as_ref(), &request);
        let params = request.arguments.map_or(Value::Null, Value::Object);
        let progress = Progress::default();
        let along =
            Along { place: Some(progress.place()), ..Along::announcing(progress.announce()) };
        let running = self.run(tool.name, params, (hears.clone(), along));
        let failure = match progress.during(running, context).await {
            Ok(Answer::Tool(reply)) => return Ok(answer::answered(tool, *reply).into()),
            Ok(Answer::Failed(failure)) => *failure,
            Ok(_) => Failure::from(Error::of(Code::Internal)),
            Err(error) => Failure::from(error),
        };
        if let Hears::Told(told) = &hears
            && let Some(asks) = told.question.get().and_then(approval::asks)
        {
            return Ok(CallToolResponse::InputRequired(asks));
        }
        Ok(answer::refused(tool, &failure, DIALECT.refusals).into())
    }

    /// Runs an operation of the table.
    async fn run(
        &self,
        operation: &str,
        params: Value,
        (hears, along): (Hears, Along),
    ) -> Result<Answer> {
        let call = self.calls(operation, params, (hears, along));
        Prepared { call, credential: self.credential.clone(), taken: None }.run(&self.app).await
    }

    /// A call of an operation of the table.
    fn calls(&self, operation: &str, params: Value, (hears, along): (Hears, Along)) -> Call<Along> {
        Call {
            caller: self.caller.clone(),
            operation: operation.to_owned(),
            agent: Some(self.agent.to_string()),
            bytes: params.to_string().len() as u64,
            params,
            request_id: None,
            hears,
            arrived: Moment::now(),
            along,
        }
    }

    /// The same for one whose answer is facts.
    async fn ask<T: DeserializeOwned>(&self, operation: &str, params: Value) -> Result<T> {
        let answer = self.run(operation, params, (Hears::Waits, Along::nothing())).await?;
        let facts = answer.into_facts().map_err(|_| Error::of(Code::Internal))?;
        serde_json::from_value(Value::Object(facts)).map_err(|_| Error::of(Code::Internal))
    }

    /// What a model is told about the workspace.
    async fn told(&self) -> Result<String> {
        #[derive(Deserialize)]
        struct Told {
            instructions: String,
        }
        let Told { instructions } = self.ask("mcp.instructions", Value::Null).await?;
        Ok(instructions)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .build();
        let mut info = InitializeResult::new(capabilities);
        info.server_info = Implementation::new("garth", env!("CARGO_PKG_VERSION"))
            .with_title("Garth workspace")
            .with_description("Files of one workspace: read, search, edit, nothing outside.");
        info.instructions = Some(self.instructions.clone());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools().map(catalogue::listed).collect();
        let result = ListToolsResult::with_all_items(tools);
        Ok(result.with_ttl_ms(TOOLS_TTL).with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(cancelled()),
            result = self.call(request, &context) => result,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let listed = self.ask("mcp.resources.list", json!({ "cursor": cursor })).await;
        listed.map_err(|error| protocol_error(&error))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read: Result<ReadResourceResult> =
            self.ask("mcp.resources.read", json!({ "uri": request.uri })).await;
        read.map(Into::into).map_err(|error| unread(&error, request.uri))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.clone().unwrap_or_default();
        Some(SubscriptionFilter::builder().resource_subscriptions(uris).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let follows = Follows::default();
        let along = Along { follows: Some(follows.clone()), ..Along::nothing() };
        let call = self.calls("mcp.listen", json!({ "uris": uris }), (Hears::Waits, along));
        let done = self.app.gateway.call(&self.app.table, call).await;
        let done = done.map_err(|error| protocol_error(&error))?;
        tokio::select! {
            () = updates::tell(follows.take(), &context) => {}
            () = self.credential.ended() => {}
            () = self.app.stopping() => {}
        }
        // Until here it counts as an open watch.
        drop(done.held);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        // The crate's own answer is an empty list, of what is not even declared.
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let params = serde_json::to_value(request).unwrap_or_default();
        self.ask("mcp.complete", params).await.map_err(|error| protocol_error(&error))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(no_method(&request, METHODS))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.tools().find(|tool| tool.name == name).map(catalogue::listed)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }
}
