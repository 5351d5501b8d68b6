package io.dedup.kafka

import io.dedup.DedupContext
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.springframework.kafka.annotation.KafkaListener

/** Steps as they are written in Kotlin; fails once, before the last. */
class SteppingListener(private val steps: MutableList<String>) {
    private var failures = 1

    @KafkaListener(id = "steps", groupId = "\${group}", topics = ["\${topic}"])
    fun on(record: ConsumerRecord<String, String>, context: DedupContext) {
        val id = context.key()!!.messageId()
        val charge = context.step("charge", String::class.java) {
            steps.add("charge $id")
            "ch-$id"
        }
        context.step("mail") { steps.add("mail $charge") }
        check(failures-- <= 0) { "fails after two steps" }
        context.step("reserve") { steps.add("reserve $id") }
    }
}
