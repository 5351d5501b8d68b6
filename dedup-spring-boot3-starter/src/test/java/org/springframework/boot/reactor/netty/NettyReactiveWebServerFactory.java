package org.springframework.boot.reactor.netty;

/** For tests that are compiled for Spring Boot 4 as well: its name for a server of Spring Boot 3. */
public class NettyReactiveWebServerFactory
        extends org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory {}
