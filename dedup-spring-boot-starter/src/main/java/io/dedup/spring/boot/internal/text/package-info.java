/** How settings, their values and their names are written for people: as they stand in {@code application.yml}. */
@NullMarked
package io.dedup.spring.boot.internal.text;

import org.jspecify.annotations.NullMarked;
