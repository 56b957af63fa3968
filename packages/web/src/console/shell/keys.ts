type Handlers = Readonly<Record<string, () => void>>;

const stack: Handlers[] = [];

/** Keys of the page: the handlers that came last go first. Typing into a field is typing. */
export function onKeys(handlers: Handlers): () => void {
  stack.unshift(handlers);
  return () => {
    stack.splice(stack.indexOf(handlers), 1);
  };
}

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.altKey) return;
  const target = event.target instanceof Element ? event.target : null;
  const chord = event.ctrlKey || event.metaKey ? `mod ${event.key.toLowerCase()}` : event.key;
  const typing = target?.closest('input, textarea, select, dialog, [contenteditable]') !== null;
  if (typing && !chord.startsWith('mod ')) return;
  // A button or link that has the focus does what it says.
  if (chord === 'Enter' && target?.closest('a, button') != null) return;
  const handler = stack.find((handlers) => handlers[chord] !== undefined)?.[chord];
  if (!handler) return;
  event.preventDefault();
  handler();
});
