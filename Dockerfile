# Halfstep on systems other than Debian 12: the Python package, with mp-run as `halfstep`, and what it needs.
#
#   docker build -t halfstep . && docker run --rm -it -v "$PWD:/work" -w /work halfstep python

FROM debian:bookworm AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates python3-venv
COPY . /halfstep
WORKDIR /halfstep
RUN setup/install build python
RUN python3 -m venv /opt/halfstep && /opt/halfstep/bin/pip install --no-cache-dir '.[bfloat16,onnx]'

FROM debian:bookworm
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends \
      libllvm22 libmlir-22 libminizip1 libtbb12 libxxhash0 lld-22 python3 zlib1g \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/halfstep /opt/halfstep
ENV PATH=/opt/halfstep/bin:$PATH
CMD ["python"]
