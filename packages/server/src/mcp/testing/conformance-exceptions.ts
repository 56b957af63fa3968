/**
 * Scenarios of the official conformance suite that do not apply to this server, and why. A scenario that is not here must pass
 * in every revision that requires it; one that is here and passes is out of date. `scenario/check` is one check of a scenario
 * whose others must pass.
 */
export const NOT_APPLICABLE: readonly { readonly why: string; readonly scenarios: readonly string[] }[] = [
  {
    why: "calls tools of the suite's own reference server, which make images, sounds, errors and progress",
    scenarios: [
      'tools-call-simple-text',
      'tools-call-image',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-mixed-content',
      'tools-call-error',
      'tools-call-with-progress',
      'json-schema-2020-12',
    ],
  },
  {
    why: 'reads resources and prompts of that reference server',
    scenarios: [
      'resources-read-text',
      'resources-read-binary',
      'resources-templates-read',
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-embedded-resource',
      'prompts-get-with-image',
    ],
  },
  {
    why: 'the suite has no credential, and everything that can be read here belongs to somebody',
    scenarios: ['caching/sep-2549-resources-read-caching-hints'],
  },
  {
    why: 'no tool of this server asks the client for anything: not for a person, a model, roots or other input',
    scenarios: [
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'input-required-result-basic-elicitation',
      'input-required-result-basic-sampling',
      'input-required-result-basic-list-roots',
      'input-required-result-request-state',
      'input-required-result-multiple-input-requests',
      'input-required-result-multi-round',
      'input-required-result-non-tool-request',
      'input-required-result-result-type',
      'input-required-result-tampered-state',
      'input-required-result-capability-check',
      'server-stateless/sep-2575-server-rejects-undeclared-capability',
      'server-stateless/sep-2575-missing-capability-http-400',
      'server-stateless/sep-2575-http-server-no-independent-requests-on-stream',
    ],
  },
  {
    why: 'the server sends no log messages to clients, completes no arguments, and has no resources that change by themselves; it says so in its capabilities',
    scenarios: [
      'logging-set-level',
      'tools-call-with-logging',
      'server-stateless/sep-2575-server-no-log-without-loglevel',
      'completion-complete',
      'resources-subscribe',
      'resources-unsubscribe',
    ],
  },
  {
    why: 'no argument of a tool is asked for as a header',
    scenarios: ['http-custom-header-server-validation'],
  },
  {
    why: 'an extension that no revision requires: calls that go on as tasks',
    scenarios: [
      'tasks-lifecycle',
      'tasks-capability-negotiation',
      'tasks-wire-fields',
      'tasks-request-state-removal',
      'tasks-mrtr-input',
      'tasks-request-headers',
      'tasks-dispatch-and-envelope',
      'tasks-required-task-error',
      'tasks-mrtr-composition',
    ],
  },
];
