import { l10n } from '../base/l10n';

/** What `mm --help` prints. */
export function helpText(): string {
  return l10n.t(`mm: an agent on the command line, and a way to ask other agents

  mm -acp                       an ACP agent on stdin and stdout, for editors
  mm --ask AGENT [PROMPT]       asks an agent of mm.yaml; the prompt comes from the arguments or from stdin
  mm -p [PROMPT]                one turn of your own agent; the prompt comes from the arguments or from stdin
  mm --agents [--json]          who can be asked, here and behind your proxies, with model and state
  mm --keep [--once]            watches the registries of your proxies: what one has forgotten is brought back
  mm --serve [AGENT...]         offers agents of mm.yaml to others, over A2A, until it is stopped
  mm --help, mm --version

  -config FILE                  the mm.yaml to use; else MM_CONFIG, .mm/mm.yaml of this folder (once allowed),
                                mm/mm.yaml in your configuration folder, the bundled demo

With --serve:
  --host ADDRESS, --port N      where; else 127.0.0.1 and 41250. --port 0 takes a free one
  --key-env NAME                the variable that holds the bearer key; else MM_SERVE_KEY
  --url URL                     what the agents' cards announce, where that is another address
  --tasks FILE                  where tasks are kept

The answer goes to stdout, everything else to stderr.
Exit codes: 0 done, 1 the agent or the model failed, 2 usage or configuration, 3 refused,
124 silent for longer than the file allows, 130 cancelled.
`);
}
