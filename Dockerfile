# docker build -t vaulttools .
# docker run -i --rm -v ~/Notes:/vault:ro vaulttools                               MCP on stdin and stdout
# docker run --rm -v ~/Notes:/vault:ro vaulttools query "how long do seeds keep"   one answer
# docker run --rm -v ~/Notes:/vault:ro -v vaulttools:/cache -p 127.0.0.1:27123:27123 -e VAULTTOOLS_TOKEN=SECRET vaulttools serve 0.0.0.0:27123 --insecure   pages and REST for this machine
# Without meaning it is 300 MB smaller: leave out `semantic` below.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE THIRD-PARTY-LICENSES.txt ./
COPY vaulttools vaulttools
COPY docs docs
RUN python3 -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN python3 -m pip install --no-cache-dir "$(echo /wheels/*.whl)[files,mcp,semantic,serve]" && rm -r /wheels
# Index and certificate are kept here; a volume keeps them from one container to the next.
RUN mkdir -m 777 /cache
ENV XDG_CACHE_HOME=/cache
ENV XDG_DATA_HOME=/cache
ENV VAULTTOOLS_VAULT=/vault
USER 65532
ENTRYPOINT ["vaulttools"]
CMD ["mcp"]
