import './console.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { queries } from './data.ts';
import { applyTheme } from './theme.ts';

applyTheme();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  );
