package io.dedup.testservers.install;

import java.util.Locale;

/** The operating system and processor, as the jars with native servers name them. */
public final class Platform {

    private Platform() {}

    /** Such as {@code linux-amd64}, {@code darwin-arm64}. */
    public static String current() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String cpu = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return (os.startsWith("mac") ? "darwin" : os) + "-"
                + switch (cpu) {
                    case "x86_64" -> "amd64";
                    case "aarch64" -> "arm64";
                    default -> cpu;
                };
    }

    /** Refuses a server that Maven Central has for Linux on x86-64 only. */
    public static void requireLinuxAmd64(String server, String setting) {
        if (!current().equals("linux-amd64")) {
            throw new IllegalStateException("the embedded " + server + " runs on linux-amd64, this is " + current()
                    + "; run Docker, or name a server with -Ddedup.test." + setting);
        }
    }
}
