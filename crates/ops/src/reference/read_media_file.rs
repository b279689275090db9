//! `read_media_file`: an image, sound or any other file, as bytes.

use base64::{Engine, engine::general_purpose::STANDARD};
use garth_contract::{Code, Result, Span, WsPath};
use garth_redact::Clean;
use garth_text::sniff;
use garth_workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::speech::{paths::resolve, refusal::told};
use crate::{
    Attachment, Needs, Reply, Tool,
    names::{Names, Naming, names_of},
    params::parse,
    schema::schema_of,
    text_file::without_bytes,
};

pub(super) const TOOL: Tool = Tool {
    name: "read_media_file",
    title: "Read Media File",
    summary: "Reads a file as base64 with its media type: an image or sound as such, anything else as a \
              resource.",
    needs: Needs::Read,
    params: schema_of::<Params>,
    payload: schema_of::<Payload>,
    repeats: &[],
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(
            async move { Ok(told(workspace, run(workspace, parse(call.params)?).await).await?) },
        )
    },
};

/// The media types by the endings of names.
const TYPES: &[(&[u8], &str)] = &[
    (b"png", "image/png"),
    (b"jpg", "image/jpeg"),
    (b"jpeg", "image/jpeg"),
    (b"gif", "image/gif"),
    (b"webp", "image/webp"),
    (b"bmp", "image/bmp"),
    (b"svg", "image/svg+xml"),
    (b"mp3", "audio/mpeg"),
    (b"wav", "audio/wav"),
    (b"ogg", "audio/ogg"),
    (b"flac", "audio/flac"),
];
const ANYTHING: &str = "application/octet-stream";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The file, inside an allowed directory.
    path: String,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::this(self.path)
    }
}

#[derive(Serialize, JsonSchema)]
struct Payload {
    /// The file, as one block.
    content: [Block; 1],
}

/// An image or sound has data and mimeType, everything else a resource.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Block {
    /// What the block is.
    r#type: Media,
    /// The bytes in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    /// The media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'static str>,
    /// The file as a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<Resource>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Media {
    Image,
    Audio,
    Resource,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Resource {
    /// Where the file is.
    uri: String,
    /// The media type.
    mime_type: &'static str,
    /// The bytes in base64.
    blob: String,
}

async fn run(workspace: &Workspace, params: Params) -> Result<Reply> {
    let path = resolve(workspace, &params.path)?;
    let at_most = workspace.limits().image_bytes;
    let content = workspace.fs().read(&path, Span::Whole { at_most }).await.map_err(|error| {
        let hint = "Files of this size are not given whole; read a text with head or tail.";
        if error.code() == Code::FileTooLarge {
            error.hint(hint)
        } else {
            without_bytes(&path, error)
        }
    })?;
    let media_type = media_type(&path, &content.bytes);
    let data = STANDARD.encode(&content.bytes);
    let media = match media_type.split('/').next() {
        Some("image") => Media::Image,
        Some("audio") => Media::Audio,
        Some(_) | None => Media::Resource,
    };
    let uri = uri(workspace, &path);
    let block = match media {
        Media::Image | Media::Audio => {
            let mime_type = Some(media_type);
            Block { r#type: media, data: Some(data), mime_type, resource: None }
        }
        Media::Resource => {
            let resource = Resource { uri: uri.clone(), mime_type: media_type, blob: data };
            Block { r#type: media, data: None, mime_type: None, resource: Some(resource) }
        }
    };
    let attachment = Attachment { media_type, bytes: content.bytes, uri: Some(uri) };
    Ok(Reply::new(Clean::default(), &Payload { content: [block] })?.attach(Some(attachment)))
}

/// The media type by the ending of the name, else by the bytes.
fn media_type(path: &WsPath, bytes: &[u8]) -> &'static str {
    let name = path.name().unwrap_or_default();
    let ending =
        name.rsplit(|byte| *byte == b'.').next().filter(|ending| ending.len() < name.len());
    let known = |ending: &[u8]| {
        TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending)).map(|(_, kind)| *kind)
    };
    if let Some(media_type) = ending.and_then(known) {
        return media_type;
    }
    let sniffed = sniff::media_type(bytes);
    let shown = sniffed.starts_with("image/") || sniffed.starts_with("audio/");
    // A model is shown images and sound of these types; of others it gets the bytes.
    if shown && !TYPES.iter().any(|(_, kind)| *kind == sniffed) { ANYTHING } else { sniffed }
}

/// The address of a file, each byte that means something in an address escaped.
fn uri(workspace: &Workspace, path: &WsPath) -> String {
    let absolute = workspace.absolute(path);
    let absolute = absolute.unwrap_or_else(|| [b"/", path.as_bytes()].concat());
    let mut uri = "file://".to_owned();
    for byte in absolute {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
