package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.spring.boot.DedupProperties;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** The name of this process in records and for operators. */
public final class InstanceName {
    private InstanceName() {}

    /**
     * The configured name; else host name and process ID, since a host may run several.
     *
     * @return null for none
     */
    public static @Nullable String of(DedupProperties properties) {
        String configured = properties.getInstance();
        if (configured == null) {
            return host() + ":" + ProcessHandle.current().pid();
        }
        return configured.isBlank() ? null : configured;
    }

    /** Containers and Windows have it in the environment; to ask the system may mean to ask a name server. */
    private static String host() {
        for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
            String name = System.getenv(variable);
            if (name != null && !name.isBlank()) {
                return name;
            }
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }
}
