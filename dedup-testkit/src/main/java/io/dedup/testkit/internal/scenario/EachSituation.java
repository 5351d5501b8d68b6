package io.dedup.testkit.internal.scenario;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A test that runs over every situation of a record and both forms of the calls. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}, {1}")
@MethodSource("io.dedup.testkit.internal.scenario.Situation#inEachForm")
public @interface EachSituation {}
