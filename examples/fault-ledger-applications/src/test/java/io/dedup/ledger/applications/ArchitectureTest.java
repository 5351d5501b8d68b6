package io.dedup.ledger.applications;

import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    @Test
    void packagesAreSmallAndFormNoCircle() {
        Rooms.of(ApplicationLedgerMain.class).check();
    }
}
