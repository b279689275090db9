// What a token of the role user is told: that it is known, why it shows nothing, and what would.
import { signOut } from "../state/session.ts";
import { Button } from "../ui/Button.tsx";
import { Mark } from "./Mark.tsx";

export function NotYours() {
  return (
    <main class="entrance">
      <div class="entrance-card">
        <Mark />
        <h1>No workspace is open to you</h1>
        <p>
          You are signed in, and your token has the role <strong>user</strong>. Users talk to agents; the files of an agent are
          open to its own token and to operators.
        </p>
        <p class="muted">
          Ask your operator for a token of the agent: <code>garth token create --role agent --agent ID</code>.
        </p>
        <Button look="primary" onClick={() => void signOut()}>Sign in with another token</Button>
      </div>
    </main>
  );
}
