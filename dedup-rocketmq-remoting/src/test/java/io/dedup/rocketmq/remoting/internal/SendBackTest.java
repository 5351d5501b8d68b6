package io.dedup.rocketmq.remoting.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SendBackTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "ok ok ok, CONSUME_SUCCESS, 2147483647, 0",
        "ok 2 ok, CONSUME_SUCCESS, 0, 2",
        "ok ok 3, CONSUME_SUCCESS, 1, 3",
        "2 ok 3, RECONSUME_LATER, 2147483647, 2",
        "-1, RECONSUME_LATER, 2147483647, -1",
        "-1 -1, RECONSUME_LATER, 2147483647, -1",
        "ok -1 -1, CONSUME_SUCCESS, 0, -1",
        "-1 ok, RECONSUME_LATER, 2147483647, 0",
        "-1 2, RECONSUME_LATER, 2147483647, 0",
        "2 -1, RECONSUME_LATER, 2147483647, 2",
    })
    @DisplayName(
            "acked is what is done without a gap; the rest is dead-lettered at once only if that is right for all of it")
    void answers(String ends, ConsumeConcurrentlyStatus status, int ackIndex, int delayLevel) {
        String[] each = ends.split(" ");
        SendBack rest = new SendBack(each.length);
        for (int i = 0; i < each.length; i++) {
            if (each[i].equals("ok")) {
                rest.done();
            } else {
                rest.failed(i, Integer.parseInt(each[i]));
            }
        }
        ConsumeConcurrentlyContext context = new ConsumeConcurrentlyContext(null);
        assertThat(rest.answer(context)).isEqualTo(status);
        assertThat(context.getAckIndex()).isEqualTo(ackIndex);
        assertThat(context.getDelayLevelWhenNextConsume()).isEqualTo(delayLevel);
    }
}
