package io.dedup.ledger.applications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.ledger.applications.plan.ApplicationRow;
import io.dedup.ledger.applications.plan.Settings;
import io.dedup.ledger.applications.plan.Text;
import io.dedup.ledger.plan.FaultKind;
import io.dedup.ledger.plan.FaultPlan;
import io.dedup.ledger.plan.Message;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

class SettingsTest {
    @Test
    @DisplayName("the client that drops a message at its first failure has no failing handlers; the others have")
    void failures() {
        Settings settings = Settings.of("--rows=amqp,http", "--faults=20");
        assertThat(settings.rows()).containsExactly(ApplicationRow.AMQP, ApplicationRow.HTTP);
        assertThat(FaultPlan.of(ApplicationRow.AMQP.size(settings.size(0))))
                .extracting(FaultPlan.Fault::kind)
                .contains(FaultKind.HANDLER_KILLED, FaultKind.BROKER_CUT)
                .doesNotContain(FaultKind.FAIL);
        assertThat(FaultPlan.of(ApplicationRow.HTTP.size(settings.size(0))))
                .extracting(FaultPlan.Fault::kind)
                .contains(FaultKind.FAIL);
    }

    @Test
    void refusesWhatIsNotThere() {
        assertThatThrownBy(() -> Settings.of("--rows=ftp"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("ftp");
        assertThatThrownBy(() -> Settings.of("--kinds=flood"))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("flood");
    }

    @Test
    void messageAsText() {
        Message message = new Message("m1", Duration.ofMillis(3), Duration.ofMillis(4), 2, false);
        assertThat(Text.message(Text.of(message))).isEqualTo(message);
    }
}
