// What waits for this operator's word, as the gateway tells it.
import { createSignal } from "solid-js";
import { asRpcError } from "../../rpc/errors.ts";
import type { Approval } from "../../rpc/methods.ts";
import { may, onConnected, rpc } from "../../state/connection.ts";
import { failed, toast } from "../../state/toasts.ts";

const [pending, setPending] = createSignal<readonly Approval[]>([]);
export { pending };

const add = (asked: Approval) => setPending((all) => [...all.filter((one) => one.id !== asked.id), asked]);
const remove = (id: string) => setPending((all) => all.filter((one) => one.id !== id));

async function list(): Promise<void> {
  if (!may("approvals.list")) return void setPending([]);
  const told = await rpc.call("approvals.list", {});
  setPending(told.approvals as Approval[]);
}

/** Answers a question. */
export async function answer(asked: Approval, decision: "allow" | "deny"): Promise<void> {
  try {
    await rpc.call("approvals.answer", { id: asked.id, decision });
    remove(asked.id);
    toast({ kind: "done", title: decision === "allow" ? `${asked.operation} was allowed` : `${asked.operation} was denied` });
  } catch (thrown) {
    const error = asRpcError(thrown);
    failed("The answer did not count")(error);
    // Somebody else was first, or the time was over.
    await list().catch(() => undefined);
  }
}

rpc.on("approval.requested", add);
rpc.on("approval.settled", ({ id }) => remove(id));
rpc.on("approval.resync", () => void list().catch(failed("What waits for approval could not be listed")));
onConnected(() => void list().catch(failed("What waits for approval could not be listed")));
