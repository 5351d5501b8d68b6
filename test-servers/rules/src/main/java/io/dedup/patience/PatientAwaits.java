package io.dedup.patience;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets a test wait up to three minutes for a condition where it doesn't say how long. Awaitility's own 10 seconds can pass on a busy
 * machine while a server or a poll isn't scheduled; a condition that holds ends the wait at once on any machine.
 */
public final class PatientAwaits implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        try {
            Awaitility.setDefaultTimeout(Duration.ofMinutes(3));
        } catch (NoClassDefFoundError e) { // a module whose tests wait for nothing
            return;
        }
    }
}
