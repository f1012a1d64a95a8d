// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

static std::map<std::string, int> counted;

__attribute__((noinline)) void count_word(const std::string &word)
{
    counted[word]++;
}

int main()
{
    std::istringstream text("the cat and the dog and the bird");
    for (std::string word; text >> word;)
        count_word(word);
    std::printf("%zu words\n", counted.size());
}
