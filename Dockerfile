# The service as a container: `docker build -t chessboard-solver .`, then `docker run --rm -p 8080:8080 chessboard-solver`.

# The build needs a Rust of at least the rust-version in Cargo.toml; the runtime needs the C library of the build's
# Debian release. Distroless has that, a user without rights, and no shell.
ARG BUILD_IMAGE=rust:1.95-slim-bookworm
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release --locked && cp target/release/chessboard-solver /chessboard-solver

FROM ${RUNTIME_IMAGE}
COPY --from=build /chessboard-solver /chessboard-solver
USER 65532:65532
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=4s --retries=3 CMD ["/chessboard-solver", "healthcheck"]
ENTRYPOINT ["/chessboard-solver"]
