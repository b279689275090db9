// The sign of Garth: a gate into an enclosed garden.
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 23V13a7 7 0 0 1 14 0v10M16 6v17M9 16h14" />
    </svg>
  );
}
