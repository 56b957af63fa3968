import { on } from '../shared/dom.ts';
import { codeInFragment } from './human-code.ts';
import { openViewer } from './viewer.ts';

// A pasted link that differs only after the # sign changes nothing by itself.
on(window, 'hashchange', () => location.reload());

openViewer(document.body.dataset.room ?? '', codeInFragment(location.hash));
