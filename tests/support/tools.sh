#!/bin/sh
# Finds or installs what the tests need beside Python packages: a Chromium, and Prometheus's promtool.
# tools.sh VENV: promtool goes into VENV/bin if it has to be fetched.
set -eu
venv=$1

have() { command -v "$1" >/dev/null 2>&1; }
lists() { [ -n "${listed:-}" ] || apt-get -qq update; listed=yes; }
missing() {
	echo "The tests need $1: $2." >&2
	exit 1
}

if [ -z "${CHROMIUM:-}" ] && ! have chromium-headless-shell && ! have chromium && ! have chromium-browser &&
	! have google-chrome && ! have google-chrome-stable; then
	have apt-get && [ "$(id -u)" = 0 ] ||
		missing Chromium "install it (Debian: apt-get install chromium-headless-shell), or name one in CHROMIUM"
	lists
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq install -y --no-install-recommends chromium-headless-shell fonts-dejavu-core >/dev/null ||
		apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi

if ! have promtool && [ ! -x "$venv/bin/promtool" ]; then
	have apt-get || missing promtool "it comes with Prometheus (Debian: apt-get install prometheus)"
	# Unpacked only: installing the package would start a server.
	unpacked=$(mktemp -d)
	trap 'rm -rf "$unpacked"' EXIT
	[ "$(id -u)" != 0 ] || lists
	(cd "$unpacked" && apt-get -qq download prometheus && dpkg -x prometheus_*.deb .)
	cp "$unpacked/usr/bin/promtool" "$venv/bin/"
fi
