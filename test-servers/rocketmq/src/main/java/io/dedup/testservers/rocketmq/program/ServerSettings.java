package io.dedup.testservers.rocketmq.program;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** What the starter of the process says: {@code home}, four ports, and settings by their prefixes. */
final class ServerSettings {
    private final Properties properties;

    ServerSettings(Properties properties) {
        this.properties = properties;
    }

    Path home() {
        return Path.of(required("home"));
    }

    int nameServerPort() {
        return port("nameServerPort");
    }

    int brokerPort() {
        return port("brokerPort");
    }

    int proxyPort() {
        return port("proxyPort");
    }

    int controlPort() {
        return port("controlPort");
    }

    /** Whether the proxy talks to the broker over the network, as a deployment of several brokers does. */
    boolean clusterMode() {
        return Boolean.parseBoolean(properties.getProperty("clusterMode"));
    }

    /** Where logs and stores go, and {@code system.*} settings. The server reads these when its classes are loaded. */
    void applySystemProperties() {
        // Four certificates of 2,048 bits took half of the time of a start, and RocketMQ's starter for its new clients
        // asks for TLS.
        System.setProperty("io.netty.handler.ssl.util.selfSignedKeyStrength", "1024");
        System.setProperty("io.grpc.netty.shaded.io.netty.handler.ssl.util.selfSignedKeyStrength", "1024");
        String home = home().toString();
        System.setProperty("user.home", home);
        System.setProperty("rocketmq.home.dir", home);
        System.setProperty("RMQ_PROXY_HOME", home);
        startingWith("system.").forEach(System::setProperty);
    }

    /** Settings whose names begin with the prefix, without it. */
    Map<String, String> startingWith(String prefix) {
        Map<String, String> found = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), properties.getProperty(name));
            }
        }
        return found;
    }

    private int port(String name) {
        return Integer.parseInt(required(name));
    }

    private String required(String name) {
        String value = properties.getProperty(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " isn't set");
        }
        return value;
    }
}
