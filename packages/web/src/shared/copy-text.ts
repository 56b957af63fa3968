/** Copies, and says on the button what came of it. */
export async function copyText(text: string, pressed: HTMLButtonElement): Promise<void> {
  const done = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  pressed.textContent = done ? 'Copied' : 'Not allowed';
  setTimeout(() => (pressed.textContent = 'Copy'), 2_000);
}
