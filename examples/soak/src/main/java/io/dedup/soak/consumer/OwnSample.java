package io.dedup.soak.consumer;

import com.sun.management.UnixOperatingSystemMXBean;
import io.dedup.soak.measure.Measure;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** Measurements of this process by itself, as {@code name=value} separated by spaces. */
final class OwnSample {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final double MIB = 1024 * 1024;

    private OwnSample() {}

    /** Collects all garbage first. */
    static String take() throws IOException {
        System.gc();
        double heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MIB;
        return String.join(
                " ",
                value(Measure.HEAP, heap),
                value(Measure.THREADS, ManagementFactory.getThreadMXBean().getThreadCount()),
                value(Measure.FILES, openFiles()),
                value(Measure.DIRECT, direct() / MIB),
                value(Measure.CLASSES, ManagementFactory.getClassLoadingMXBean().getLoadedClassCount()),
                value(Measure.RESIDENT, resident() / MIB));
    }

    private static String value(Measure measure, double value) {
        return String.format(Locale.ROOT, "%s=%.2f", measure, value);
    }

    private static double openFiles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }

    /** Without mapped files. */
    private static double direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** 0 if the system doesn't report it. */
    private static double resident() throws IOException {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("RssAnon:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .sum()
                    * 1024.0;
        }
    }
}
