//! The server of MCP: a dialect's tools on a workspace, whatever the transport is.

use std::{borrow::Cow, sync::Arc, time::Duration};

use garth_contract::{Code, Error};
use garth_ops::{Call, Dialect, Tool};
use garth_workspace::Workspace;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, ErrorCode, Implementation, InitializeResult,
        ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
};
use serde_json::Value;

use super::{
    answer, catalogue, contain::Contained, progress::Progress, resources, room::Room,
    updates::Updates,
};

/// How long a client may keep the list of tools, which never changes while we run.
const TOOLS_TTL: Duration = Duration::from_hours(1);
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
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "completion/complete",
];

/// A server of one workspace.
#[derive(Clone)]
pub(crate) struct Server(Arc<Shared>);

struct Shared {
    workspace: Arc<Workspace>,
    offer: Offer,
    room: Arc<Room>,
    updates: Updates,
}

/// What a client is offered.
pub(crate) struct Offer {
    pub(crate) dialect: &'static Dialect,
    pub(crate) tools: Vec<&'static Tool>,
    /// How a model works with them, in Markdown.
    pub(crate) instructions: String,
}

impl Server {
    pub(crate) fn new(workspace: Arc<Workspace>, offer: Offer, room: Arc<Room>) -> Self {
        Self(Arc::new(Shared {
            updates: Updates::new(Arc::clone(&workspace)),
            workspace,
            offer,
            room,
        }))
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.0.offer.tools.iter().find(|tool| tool.name == request.name);
        let tool = tool.ok_or_else(|| self.unknown(&request.name))?;
        self.0.room.enter(&context.id).await;
        let params = request.arguments.map_or(Value::Null, Value::Object);
        let progress = Progress::new(&self.0.workspace);
        let call = Call { params, announce: progress.announce() };
        let run = Contained((tool.run)(&self.0.workspace, call));
        let result = match progress.during(run, context).await {
            Ok(reply) => answer::answered(tool, reply),
            Err(failure) => answer::refused(tool, &failure, self.0.offer.dialect.refusals),
        };
        Ok(result.into())
    }

    fn unknown(&self, name: &str) -> ErrorData {
        let names: Vec<_> = self.0.offer.tools.iter().map(|tool| tool.name).collect();
        let message = format!("there is no tool {name:?}; the tools are {}", names.join(", "));
        ErrorData::invalid_params(message, None)
    }
}

/// An error of ours where MCP has no place for a result.
pub(crate) fn protocol_error(error: &Error) -> ErrorData {
    let data = Some(Value::Object(garth_ops::failure(error)));
    let message = error.to_string();
    let code = error.code();
    if code == Code::FileNotFound {
        ErrorData::resource_not_found(message, data)
    } else if code == Code::Internal {
        ErrorData::internal_error(message, data)
    } else {
        ErrorData::invalid_params(message, data)
    }
}

/// Why a resource was not read, with its address.
pub(crate) fn unread(error: &Error, address: String) -> ErrorData {
    let mut refused = protocol_error(error);
    if let Some(Value::Object(data)) = &mut refused.data {
        data.insert("uri".to_owned(), address.into());
    }
    refused
}

/// Refuses what is none of these methods. What is known by its name comes here only when
/// its parameters are wrong.
pub(crate) fn no_method(request: &CustomRequest, methods: &[&str]) -> ErrorData {
    let CustomRequest { method, .. } = request;
    if methods.contains(&method.as_str()) {
        let message = format!("the parameters of {method} are not what it takes");
        return ErrorData::invalid_params(message, None);
    }
    let message = format!("there is no method {method:?}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

pub(crate) fn cancelled() -> ErrorData {
    protocol_error(&Error::of(Code::Cancelled))
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
        info.instructions = Some(self.0.offer.instructions.clone());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.0.offer.tools.iter().map(|tool| catalogue::listed(tool)).collect();
        let ttl = u64::try_from(TOOLS_TTL.as_millis()).unwrap_or(u64::MAX);
        let result = ListToolsResult::with_all_items(tools);
        Ok(result.with_ttl_ms(ttl).with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(cancelled()),
            // What rmcp moves from place to place is then a pointer.
            result = Box::pin(self.call(request, &context)) => result,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        resources::list(&self.0.workspace, cursor).await.map_err(|error| protocol_error(&error))
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
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.0.room.enter(&context.id).await;
        let read = resources::read(&self.0.workspace, &request.uri).await;
        read.map(Into::into).map_err(|error| unread(&error, request.uri))
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
        resources::complete(&self.0.workspace, &request)
            .await
            .map_err(|error| protocol_error(&error))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.clone().unwrap_or_default();
        Some(SubscriptionFilter::builder().resource_subscriptions(uris).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.0.updates.listen(context).await.map_err(|error| protocol_error(&error))
    }

    #[allow(deprecated, reason = "clients of the revisions before listen use it")]
    async fn subscribe(
        &self,
        request: rmcp::model::SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let subscribed = self.0.updates.subscribe(&request.uri, context.peer).await;
        subscribed.map_err(|error| protocol_error(&error))
    }

    #[allow(deprecated, reason = "clients of the revisions before listen use it")]
    async fn unsubscribe(
        &self,
        request: rmcp::model::UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.updates.unsubscribe(&request.uri);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(no_method(&request, METHODS))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.0.offer.tools.iter().find(|tool| tool.name == name).map(|tool| catalogue::listed(tool))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [rmcp::model::ProtocolVersion]> {
        Cow::Borrowed(rmcp::model::ProtocolVersion::KNOWN_VERSIONS)
    }
}
