// The reverse proxy of Go's standard library with nothing of ours: what a relay costs on that platform.
package main

import (
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

func main() {
	upstream, err := url.Parse(os.Getenv("UPSTREAM"))
	if err != nil {
		log.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	// Events of a stream are passed on as they come.
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{MaxIdleConns: 0, MaxIdleConnsPerHost: 2048}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), proxy))
}
