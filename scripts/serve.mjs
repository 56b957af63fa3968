// Serves what was built last, in this very process, so that signals reach the server.
const { serve } = await import('@parley/server/main');
process.exitCode = await serve(process.argv.slice(2));
