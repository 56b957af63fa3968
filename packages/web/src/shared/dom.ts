/** The page's own elements, looked up once; a missing one is a mistake in the template. */
export function byId(id: string): HTMLElement;
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind;
export function byId(id: string, kind = HTMLElement): HTMLElement {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

export function buttonById(id: string): HTMLButtonElement {
  return byId(id, HTMLButtonElement);
}

/** Builds an element. Text only ever arrives through `textContent`, so nothing a peer writes can become markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

export function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', 'button quiet', label);
  made.type = 'button';
  on(made, 'click', onClick);
  return made;
}

/** Puts the focus where the keys should work, without a ring around it until a key is used. */
export function focusQuietly(place: HTMLElement): void {
  place.dataset.quiet = '';
  place.focus({ preventScroll: true });
  for (const end of ['keydown', 'blur'])
    place.addEventListener(end, () => delete place.dataset.quiet, { once: true });
}

type Events = WindowEventMap & DocumentEventMap & HTMLElementEventMap;

export function on<Type extends keyof Events>(
  place: EventTarget,
  type: Type,
  heard: (event: Events[Type]) => void,
): void {
  // The type of the event follows from its name.
  place.addEventListener(type, heard as EventListener);
}
