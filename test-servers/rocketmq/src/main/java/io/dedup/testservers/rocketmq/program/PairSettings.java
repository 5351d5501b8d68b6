package io.dedup.testservers.rocketmq.program;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** What the starter of a {@link PairProgram} says. */
record PairSettings(Properties properties) {
    static final String HOST = "127.0.0.1";
    static final String CLUSTER = "DefaultCluster";

    boolean isBroker() {
        return Boolean.parseBoolean(required("isBroker"));
    }

    Path home() {
        return Path.of(required("home"));
    }

    /** {@code nameServer}, {@code controller}, {@code proxy}, {@code control}, {@code broker} or {@code replication}. */
    int port(String of) {
        return Integer.parseInt(required(of + "Port"));
    }

    String nameServerAddress() {
        return HOST + ":" + port("nameServer");
    }

    String controllerAddress() {
        return HOST + ":" + port("controller");
    }

    List<String> topics() {
        return List.of(required("topics").split(","));
    }

    List<String> groups() {
        return List.of(required("groups").split(","));
    }

    /** Where logs and stores go. The server reads these when its first class is loaded. */
    void applyHome() {
        String home = home().toString();
        System.setProperty("user.home", home);
        System.setProperty("rocketmq.home.dir", home);
        System.setProperty("RMQ_PROXY_HOME", home);
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

    private String required(String name) {
        String value = properties.getProperty(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " isn't set");
        }
        return value;
    }
}
