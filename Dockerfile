# Halfstep on systems other than Debian 12: the wheels, and an image that has them, with mp-run, mp-opt and mp-exec.
#
#   docker build -t halfstep . && docker run --rm -it -v "$PWD:/work" -w /work halfstep python
#   docker build --target wheels --output dist .      # the wheels alone

FROM debian:bookworm AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates git make python3-venv
COPY . /halfstep
WORKDIR /halfstep
RUN make wheel
RUN python3 -m venv /opt/halfstep && /opt/halfstep/bin/pip install --no-cache-dir --find-links dist 'halfstep[bfloat16,onnx]'

FROM scratch AS wheels
COPY --from=build /halfstep/dist /

FROM debian:bookworm
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/halfstep /opt/halfstep
ENV PATH=/opt/halfstep/bin:$PATH
CMD ["python"]
