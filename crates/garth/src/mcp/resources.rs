//! Files and directories as resources of MCP.

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::{
    Code, Entry, Error, Hidden, Kind, Links, Listing, Page, RawPath, Result, Span, WsPath,
};
use garth_redact::Raw;
use garth_text::sniff;
use garth_workspace::Workspace;
use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, CompletionInfo, ListResourceTemplatesResult,
    ListResourcesResult, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::json;

use super::uri;

/// How many entries one page of a listing has.
const PAGE: u64 = 500;
/// The media type of a directory.
const DIRECTORY: &str = "inode/directory";

/// The entries at the top of the workspace, page by page.
///
/// # Errors
/// `INVALID_PARAMS` for a cursor that is none of ours; those of listing.
pub(crate) async fn list(
    workspace: &Workspace,
    cursor: Option<String>,
) -> Result<ListResourcesResult> {
    let skip = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| {
            Error::new(Code::InvalidParams, "the cursor is none that a list returned")
        })?,
    };
    let page = Page { skip, take: PAGE };
    let Listing { entries, total } = workspace.fs().list(&WsPath::root(), page).await?;
    let next = skip.saturating_add(entries.len() as u64);
    let root = (skip == 0).then(|| Resource::new(uri::SCHEME, "/").with_mime_type(DIRECTORY));
    let resources = root.into_iter().chain(entries.iter().map(resource)).collect();
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = (next < total && !entries.is_empty()).then(|| next.to_string());
    Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

fn resource(entry: &Entry) -> Resource {
    let resource = Resource::new(uri::of(&entry.path), entry.path.to_string());
    match entry.kind {
        Kind::Dir => resource.with_mime_type(DIRECTORY),
        Kind::File => resource.with_size(entry.size),
        Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => resource,
    }
}

/// The shape of all addresses.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(format!("{}{{+path}}", uri::SCHEME), "path")
        .with_title("A file or directory")
        .with_description("A path of the workspace, relative to its root.");
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// What stands at an address: a text, bytes, or the entries of a directory.
///
/// # Errors
/// Those of the address and of reading.
pub(crate) async fn read(workspace: &Workspace, address: &str) -> Result<ReadResourceResult> {
    let path = uri::path(address)?;
    let entry = workspace.fs().stat(&path, Links::Follow).await?;
    let contents = if entry.kind == Kind::Dir {
        directory(workspace, &path, address).await?
    } else {
        file(workspace, &path, address).await?
    };
    let mut result = ReadResourceResult::new(vec![contents]);
    result.ttl_ms = Some(0);
    result.cache_scope = Some(CacheScope::Private);
    Ok(result)
}

async fn file(workspace: &Workspace, path: &WsPath, address: &str) -> Result<ResourceContents> {
    let at_most = workspace.limits().text_bytes;
    let content = workspace.fs().read(path, Span::Whole { at_most }).await?;
    Ok(match sniff::text(&content.bytes) {
        Some((_, text)) => {
            let shown = workspace.clean(path, Raw::from(&*text))?;
            ResourceContents::text(shown.into_string(), address).with_mime_type("text/plain")
        }
        None => ResourceContents::blob(STANDARD.encode(&content.bytes), address)
            .with_mime_type(sniff::media_type(&content.bytes)),
    })
}

async fn directory(
    workspace: &Workspace,
    path: &WsPath,
    address: &str,
) -> Result<ResourceContents> {
    let listing = workspace.fs().list(path, Page { skip: 0, take: PAGE }).await?;
    let more = listing.total.saturating_sub(listing.entries.len() as u64);
    let entries: Vec<_> = listing
        .entries
        .iter()
        .map(|entry| {
            let directory = (entry.kind == Kind::Dir).then_some(DIRECTORY);
            json!({
                "uri": uri::of(&entry.path),
                "name": entry.path.to_string(),
                "mimeType": directory,
                "size": (entry.kind == Kind::File).then_some(entry.size),
            })
        })
        .collect();
    let text = json!({ "entries": entries, "more": more }).to_string();
    Ok(ResourceContents::text(text, address).with_mime_type(DIRECTORY))
}

/// Paths that begin with what a person has typed of one.
///
/// # Errors
/// None but those of the file system; what is no path has no completions.
pub(crate) async fn complete(
    workspace: &Workspace,
    request: &CompleteRequestParams,
) -> Result<CompleteResult> {
    let ours = matches!(&request.r#ref, Reference::Resource(_)) && request.argument.name == "path";
    let values = if ours { paths(workspace, &request.argument.value).await? } else { Vec::new() };
    let total = u32::try_from(values.len()).ok();
    let more = values.len() > CompletionInfo::MAX_VALUES;
    let values = values.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    let mut info = CompletionInfo::new(values).unwrap_or_default();
    info.total = total;
    info.has_more = Some(more);
    Ok(CompleteResult::new(info))
}

async fn paths(workspace: &Workspace, typed: &str) -> Result<Vec<String>> {
    let (dir, start) = typed.rsplit_once('/').unwrap_or(("", typed));
    let Ok(dir) = RawPath::new(dir).resolve(workspace.aliases()) else { return Ok(Vec::new()) };
    let listing = match workspace.fs().list(&dir, Page { skip: 0, take: u64::MAX }).await {
        Ok(listing) => listing,
        Err(error) if matches!(error.code(), Code::FileNotFound | Code::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let hidden = if start.starts_with('.') { Hidden::Include } else { Hidden::Skip };
    let fits = |entry: &&Entry| {
        let name = entry.path.name().unwrap_or_default();
        name.starts_with(start.as_bytes()) && (hidden == Hidden::Include || !name.starts_with(b"."))
    };
    let shown = |entry: &Entry| match entry.kind {
        Kind::Dir => format!("{}/", entry.path),
        Kind::File | Kind::Symlink | Kind::Fifo | Kind::Socket | Kind::Device => {
            entry.path.to_string()
        }
    };
    Ok(listing.entries.iter().filter(fits).map(shown).collect())
}
