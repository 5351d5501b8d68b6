package io.dedup.ledger.rocketmq;

import io.dedup.rules.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    @Test
    void packagesAreSmallAndFormNoCircle() {
        Rooms.of(RocketMqLedgerMain.class).check();
    }
}
