// SPDX-License-Identifier: GPL-2.0-or-later
// A small search engine: three threads read documents into an inverted index, then queries are answered from it. It has the
// names of real C++ (containers, std::regex, lambdas, operators, threads) and four things to find: distance takes most of the
// time; one call of parse takes far longer than the others (document 17 is a book); two documents are broken (exceptions); while
// one thread adds its document, others wait for the index. "search quick" compares only words of nearly the same length: the
// program before and after a change.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace search
{

struct broken_document : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct posting {
    int document;
    int count;
    bool operator<(const posting &other) const
    {
        return count > other.count || (count == other.count && document < other.document);
    }
};

struct document {
    int number;
    std::string title;
    std::map<std::string, int> words; // with the number of times
};

// A value that is used with its lock held.
template <class Value> class guarded
{
  public:
    template <class Function> auto with(Function &&function)
    {
        std::unique_lock<std::mutex> hold(lock);
        return function(value);
    }

  private:
    std::mutex lock;
    Value value;
};

class index
{
  public:
    index &operator+=(const document &added)
    {
        for (const auto &[word, count] : added.words)
            postings[word].push_back({added.number, count});
        return *this;
    }
    const std::vector<posting> &operator[](const std::string &word) const
    {
        return postings.at(word);
    }
    bool contains(const std::string &word) const
    {
        return postings.count(word) > 0;
    }
    template <class Visit> void for_each_word(Visit &&visit) const
    {
        for (const auto &entry : postings)
            visit(entry.first);
    }

  private:
    std::map<std::string, std::vector<posting>> postings;
};

namespace
{
// The text of a document, always the same. Number 17 is a book, 9 and 31 have no title.
std::string text_of(int number)
{
    static const char *const stems[] = {"tree",   "river",  "stone",  "light",  "paper",  "engine", "winter",
                                        "garden", "signal", "market", "harbor", "copper", "thread", "window"};
    std::string text = number == 9 || number == 31 ? "?" : "doc-" + std::to_string(number) + ":";
    for (int i = 0, n = number == 17 ? 900 : 16; i < n; i++)
        (((text += ' ') += stems[(number * 5 + i * i) % 14]) += stems[(number + i * 3) % 14]) += stems[i % 3];
    return text;
}

[[gnu::noinline]] document parse(int number, const std::string &text, const std::regex &heading)
{
    std::smatch found;
    const std::string first = text.substr(0, text.find(' '));
    if (!std::regex_match(first, found, heading))
        throw broken_document("no title: " + first);
    document made{number, found[0], {}};
    for (std::size_t at = first.size(); at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at + 1), text.size());
        made.words[text.substr(at + 1, end - at - 1)]++;
        at = end;
    }
    return made;
}
} // namespace

namespace spelling
{
// How many letters must be changed, added or removed (Levenshtein).
int distance(const std::string &a, const std::string &b)
{
    std::vector<int> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); i++) {
        int diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); j++)
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])}));
    }
    return row.back();
}

std::optional<std::string> nearest(const index &words, const std::string &wrong, bool quick)
{
    std::optional<std::string> best;
    int least = 3;
    words.for_each_word([&](const std::string &word) {
        if (quick && std::max(word.size(), wrong.size()) - std::min(word.size(), wrong.size()) > 1)
            return;
        if (int found = distance(word, wrong); found < least)
            least = found, best = word;
    });
    return best;
}
} // namespace spelling

class engine
{
  public:
    explicit engine(bool quick) : quick(quick)
    {
    }
    void read(int first, int step, int count)
    {
        for (int number = first; number < count; number += step)
            try {
                const document made = parse(number, text_of(number), heading);
                words.with([&made](index &all) { all += made; });
            } catch (const broken_document &) {
                broken.with([number](std::vector<int> &all) { all.push_back(number); });
            }
    }
    std::vector<posting> answer(const std::string &query)
    {
        return words.with([&](const index &all) {
            std::vector<posting> found;
            std::optional<std::string> word = all.contains(query) ? query : spelling::nearest(all, query, quick);
            if (word)
                found = all[*word];
            std::sort(found.begin(), found.end());
            return found;
        });
    }

  private:
    const bool quick;
    const std::regex heading{"([a-z]+)-([0-9]+):"};
    guarded<index> words;
    guarded<std::vector<int>> broken;
};

int run(bool quick)
{
    auto everything = std::make_unique<engine>(quick);
    std::vector<std::thread> threads;
    for (int i = 1; i < 3; i++)
        threads.emplace_back([&everything, i] { everything->read(i, 3, 40); });
    everything->read(0, 3, 40);
    std::for_each(threads.begin(), threads.end(), std::mem_fn(&std::thread::join));
    std::size_t found = 0;
    for (const char *query :
         {"lightmarkettree",   "stoneenginriver",    "gardenharbrostone",  "riivermarkettree",  "windowgardenriver",
          "signllightstone",   "coppergaredntree",   "windowsiggnalriver", "winterharborstone", "stonelighttee",
          "stonewindworiver",  "wiintercopperstone", "harborthreadtree",   "stonethreariver",   "terepaperstone",
          "windowwwindowtree", "gardenmarketriver",  "wintercoppersone",   "winterwinterrtee",  "threadmarrketriver"})
        found += everything->answer(query).size();
    return found > 0 ? 0 : 1;
}
} // namespace search

int main(int argc, char **argv)
{
    return search::run(argc > 1 && !std::strcmp(argv[1], "quick"));
}
