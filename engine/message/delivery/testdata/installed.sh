#!/bin/sh
# Runs a command as if the packages that .ci/unpack has put into a folder were installed. What it writes to /etc, /run, /usr
# and /var is gone when it ends. Usage: unshare --mount --pid --fork --kill-child sh installed.sh FOLDER COMMAND [ARGUMENT]...
set -eu
packages=$1
shift
mount -t tmpfs none /mnt
for d in etc usr var; do
  mkdir "/mnt/$d" "/mnt/$d.work"
  mount -t overlay -o "lowerdir=$packages/$d:/$d,upperdir=/mnt/$d,workdir=/mnt/$d.work" none "/$d"
done
mount -t tmpfs none /run
mount -t proc none /proc
id=60500
for name in Debian-exim postfix postdrop dovecot dovenull opensmtpd opensmtpq; do # an installation would have added them
  id=$((id + 1))
  grep -q "^$name:" /etc/passwd || echo "$name:x:$id:$id::/nonexistent:/usr/sbin/nologin" >>/etc/passwd
  grep -q "^$name:" /etc/group || echo "$name:x:$id:" >>/etc/group
done
timeout -s KILL 5m "$@" # at most, should nobody end it; and not with exec: unshare kills only a process that stays root
exit
