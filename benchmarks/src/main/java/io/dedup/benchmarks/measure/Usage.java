package io.dedup.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** Reads what this process has used so far. */
public final class Usage {
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Nanoseconds on a core, of all threads that there ever were. */
    public long cpuNanos() {
        return process.getProcessCpuTime();
    }

    /** Bytes allocated so far by the threads that live now: compare only while none of them ends. */
    public long bytes() {
        return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }
}
