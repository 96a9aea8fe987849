# A static program on an empty base: no shell, no package manager, no libc.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -tags=nomsgpack -ldflags="-s -w -X main.version=${VERSION}" -o /out/footnote ./cmd/footnote \
    && mkdir -p /out/data /out/tmp

FROM scratch
# The roots by which TLS to model servers is verified.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/footnote /footnote
# An empty base has no folder for temporary files, and a volume takes its owner from the image.
COPY --from=build --chown=65532:65532 /out/tmp /tmp
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
# Inside a container only the container's own address can be published.
ENV FOOTNOTE_ADDR=0.0.0.0:8080 \
    FOOTNOTE_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
# SIGTERM drains for up to 40 seconds: docker stop --time 45.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/footnote"]
CMD ["serve"]
