package io.dedup.kafka

import java.util.concurrent.CompletableFuture
import java.util.function.Function
import kotlinx.coroutines.future.await
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.springframework.kafka.annotation.KafkaListener

/** A `suspend` function, as its compiler makes it: suspended until the work of its record ends. */
class SuspendListener(private val begin: Function<ConsumerRecord<*, *>, CompletableFuture<Void>>) {
    // docs:begin
    @KafkaListener(id = "later", groupId = "\${group}", topics = ["\${topic}"])
    suspend fun on(record: ConsumerRecord<String, String>) {
        begin.apply(record).await() // or any other suspending call: the record is done when it returns
    }
    // docs:end
}
