// The files of the workspace, as a tree.
export default function View() {
  return <div class="empty">Files</div>;
}
