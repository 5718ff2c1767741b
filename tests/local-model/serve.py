"""llama.cpp's own server with a small model: serve.py MODEL.gguf PORT CONTEXT."""
import sys
import time

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.port = int(sys.argv[2])
params.n_ctx = int(sys.argv[3])
params.n_parallel = 1
params.use_jinja = True
params.warmup = False
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
while True:
    time.sleep(1)
