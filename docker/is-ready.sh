# The health check of the images: asks the service of this container for a path; what is no 200 is a failure. Bash alone, as
# it starts in a twentieth of Node's time, and no image holds curl.
#   bash docker/is-ready.sh /readyz
exec 3<>"/dev/tcp/127.0.0.1/${PORT:?}" || exit 1
printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' "$1" >&3
read -r _ status _ <&3
[ "$status" = 200 ]
