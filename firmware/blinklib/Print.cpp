#include "Print.h"

#include <avr/pgmspace.h>
#include <math.h>

size_t Print::write(const uint8_t *data, size_t length) {
    size_t written = 0;
    while (length-- && write(*data++)) {
        ++written;
    }
    return written;
}

size_t Print::print(const __FlashStringHelper *text) {
    const char *at = reinterpret_cast<const char *>(text);
    size_t written = 0;
    while (char character = pgm_read_byte(at++)) {
        if (!write((uint8_t)character)) {
            break;
        }
        ++written;
    }
    return written;
}

size_t Print::print(long number, int base) {
    if (base == DEC && number < 0) {
        size_t sign = print('-');
        return sign + digits(-(unsigned long)number, DEC);
    }
    return print((unsigned long)number, base);
}

size_t Print::print(unsigned long number, int base) {
    return base == 0 ? write((uint8_t)number) : digits(number, base);
}

size_t Print::digits(unsigned long number, uint8_t base) {
    char text[8 * sizeof number + 1];
    char *at = text + sizeof text - 1;
    *at = 0;
    if (base < 2) {
        base = DEC;
    }
    do {
        uint8_t digit = number % base;
        number /= base;
        *--at = digit < 10 ? '0' + digit : 'A' + digit - 10;
    } while (number);
    return write(at);
}

size_t Print::print(double number, int digits_after) {
    if (isnan(number)) {
        return print("nan");
    }
    if (isinf(number)) {
        return print("inf");
    }
    if (number > 4294967040.0 || number < -4294967040.0) {   // what an unsigned long holds, as a float
        return print("ovf");
    }
    size_t written = 0;
    if (number < 0.0) {
        written += print('-');
        number = -number;
    }
    double rounding = 0.5;
    for (int i = 0; i < digits_after; ++i) {
        rounding /= 10.0;
    }
    number += rounding;
    unsigned long whole = (unsigned long)number;
    double rest = number - (double)whole;
    written += print(whole);
    if (digits_after > 0) {
        written += print('.');
    }
    while (digits_after-- > 0) {
        rest *= 10.0;
        uint8_t digit = (uint8_t)rest;
        written += print(digit);
        rest -= digit;
    }
    return written;
}

size_t Print::println() { return write("\r\n"); }
