#!/bin/sh
# Builds a container image of a checkout, from nothing but Debian's packages, Deno and what the lock file names.
# Needs debootstrap, buildah, git and deno, and to be root. The image runs as user 10001, has the project in /srv/gateway and
# keeps its store in the volume /srv/data.
#
#   sh docs/deploy/container.sh [name of the image, site-gateway:latest where it is left out]
set -eu

image=${1:-site-gateway:latest}
project=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
deno=$(deno eval 'console.log(Deno.execPath())')
folder=$(mktemp -d)
root=$folder/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$folder"' EXIT

debootstrap --variant=minbase bookworm "$root" >"$folder/debootstrap.log"
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc "$root"/usr/share/man "$root"/usr/share/locale
mkdir -p "$root/srv/gateway" "$root/srv/data"
git -C "$project" archive HEAD | tar -x -C "$root/srv/gateway"
rm -rf "$root"/srv/gateway/tests "$root"/srv/gateway/bench
# What is remembered beside the store, and copies of it, stay where the store does.
ln -s ../data "$root/srv/gateway/data"
install -m 755 "$deno" "$root/usr/local/bin/deno"
(cd "$root/srv/gateway" && DENO_DIR=$root/srv/deno deno install --frozen --quiet)

# One boot compiles everything once: the image starts in half the time with what it leaves behind.
chown -R 10001:10001 "$root/srv"
mount -t proc proc "$root/proc"
start='cd /srv/gateway && exec deno run -A --cached-only gateway/launch.ts serve main.ts'
env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin DENO_DIR=/srv/deno HOME=/srv/data HOST=127.0.0.1 PORT=18080 KV_PATH=:memory: \
  MASTER_TOKEN="$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')" ENCRYPTION_KEYS="$(head -c 32 /dev/urandom | base64)" \
  chroot --userspec=10001:10001 "$root" /bin/sh -c "$start" >"$folder/boot.log" 2>&1 &
boot=$!
tries=0
until grep -q 'The gateway answers' "$folder/boot.log" 2>/dev/null; do
  tries=$((tries + 1))
  if [ "$tries" -gt 120 ] || ! kill -0 "$boot" 2>/dev/null; then
    cat "$folder/boot.log" >&2
    exit 1
  fi
  sleep 0.5
done
kill "$boot"
wait "$boot" || true
umount "$root/proc"

# The project is root's; the account of the image writes its store and the compiled code, and nothing else.
chown -R 0:0 "$root/srv/gateway"
container=$(buildah from scratch)
image_root=$(buildah mount "$container")
cp -a "$root/." "$image_root/" # "buildah copy" would make all of it root's
chroot --userspec=10001:10001 "$image_root" /bin/sh -c 'test -w /srv/gateway/data/ && test -w /srv/deno && ! test -w /srv/gateway'
buildah umount "$container" >/dev/null
buildah config --user 10001:10001 --workingdir /srv/gateway --volume /srv/data --port 8000 --stop-signal SIGTERM \
  --env DENO_DIR=/srv/deno --env HOME=/srv/data --env HOST=0.0.0.0 --env PORT=8000 --env KV_PATH=/srv/data/gateway.sqlite3 \
  --label org.opencontainers.image.revision="$(git -C "$project" rev-parse HEAD)" \
  --cmd '["deno", "run", "-A", "--cached-only", "gateway/launch.ts", "serve", "main.ts"]' "$container"
buildah commit --quiet --rm "$container" "$image"
