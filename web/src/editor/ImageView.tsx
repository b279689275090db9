// A picture, as bytes in an <img>: whatever is written in it, nothing of it runs.
import { createResource, createSignal, onCleanup, Show } from "solid-js";
import { fileAddress, send } from "../rpc/http.ts";
import { asRpcError } from "../rpc/errors.ts";
import { sentence } from "../state/toasts.ts";
import { nameOf } from "../state/tabs.ts";
import { size } from "../ui/format.ts";

/** Larger pictures are described and not shown, in bytes. */
const MOST = 30_000_000;
const TYPES: Record<string, string> = { svg: "image/svg+xml", jpg: "image/jpeg", jpeg: "image/jpeg", ico: "image/x-icon" };

export function ImageView(props: { agent: string; path: string; modified: string | undefined }) {
  const [shape, setShape] = createSignal("");
  const [picture] = createResource(
    () => ({ path: props.path, modified: props.modified }),
    async ({ path }) => {
      const answer = await send("GET", fileAddress(props.agent, path));
      if (Number(answer.headers.get("content-length")) > MOST) throw new Error("this picture is too large to be shown; download it");
      const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
      const bytes = await answer.arrayBuffer();
      const address = URL.createObjectURL(new Blob([bytes], { type: TYPES[ending] ?? `image/${ending}` }));
      return { address, bytes: bytes.byteLength };
    },
  );
  onCleanup(() => !picture.error && picture() && URL.revokeObjectURL(picture()!.address));
  return (
    <Show when={!picture.error} fallback={<div class="empty" role="alert"><h2>{sentence(asRpcError(picture.error).message)}</h2></div>}>
      <figure class="picture">
        <div>
          <Show when={picture()} keyed>
            {({ address }) => (
              <img
                src={address}
                alt={nameOf(props.path)}
                onLoad={(event) => setShape(`${event.currentTarget.naturalWidth} × ${event.currentTarget.naturalHeight}`)}
                onError={() => setShape("this is no picture that the browser can show")}
              />
            )}
          </Show>
        </div>
        <figcaption class="num">{[shape(), size(picture()?.bytes)].filter(Boolean).join(" · ")}</figcaption>
      </figure>
    </Show>
  );
}
