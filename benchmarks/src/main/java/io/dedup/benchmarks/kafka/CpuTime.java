package io.dedup.benchmarks.kafka;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.IntConsumer;

/**
 * The processor time of this process for each record, which doesn't depend on what else the machine does. The first hundred records
 * don't count, nor do the broker and the store, which are other processes.
 */
public final class CpuTime implements IntConsumer {
    private static final int EACH = 50;
    private static final int FROM = 2 * EACH;

    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private int next = FROM;
    private int firstCount;
    private int lastCount;
    private long first;
    private long last;

    /** Begins with another listener. */
    public void reset() {
        next = FROM;
        firstCount = 0;
        lastCount = 0;
    }

    @Override
    public void accept(int count) {
        if (count < next) {
            return;
        }
        next = count + EACH;
        last = process.getProcessCpuTime();
        lastCount = count;
        if (firstCount == 0) {
            first = last;
            firstCount = count;
        }
    }

    /** In microseconds; NaN if there were too few records. */
    public double microsPerRecord() {
        return lastCount == firstCount ? Double.NaN : (last - first) / 1e3 / (lastCount - firstCount);
    }
}
