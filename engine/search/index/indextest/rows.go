// Package indextest makes summary rows such as a workspace gathers over the years, for tests and
// benchmarks.
package indextest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
)

// Now is the time at which the rows are as they are: the newest was changed just before.
var Now = time.Date(2026, 6, 15, 9, 30, 0, 0, time.UTC)

var (
	seasons  = strings.Split("Summer,Winter,Spring,Autumn,Black Friday,Cyber Monday,Diwali,Easter,Back to School,New Year,Valentine's,Mother's Day,Singles' Day,Été,Weihnachts", ",")
	subjects = strings.Split("sale,cart reminder,welcome,onboarding,win-back,price drop,flash deal,newsletter,survey,loyalty points,referral,app update,restock alert,abandoned checkout,birthday,renewal,upgrade,product launch,webinar invite,password hygiene,delivery status,store opening,wishlist,feedback,VIP preview,café opening,free shipping,gift guide,clearance,early access", ",")
	details  = strings.Split("DE,FR,US,UK,India,LATAM,APAC,iOS,Android,web,high spenders,lapsed 30d,lapsed 90d,new users,power users,B2B,students,weekend,evening,A/B subject,hero image,short copy,holdout,retry,Q1,Q2,Q3,Q4,v2,v3,final,test", ",")
	tagNames = strings.Split("sale,promo,retention,onboarding,lifecycle,newsletter,transactional,test,urgent,big sale,vip,seasonal,app,web,ios,android,q1,q2,q3,q4,eu,us,apac,latam,winback,cart,price,loyalty,survey,referral,experiment,holdout,evergreen,black friday,summer,winter,beta,legal,partner,brand", ",")
	first    = strings.Split("ann,bob,carla,dmitri,elena,farid,grace,hiro,ines,jonas,kavya,liam,maria,nadia,omar,priya,quinn,rosa,sven,tara", ",")
	last     = strings.Split("lee,smith,garcia,mueller,rossi,kumar,tanaka,olsen", ",")
	teams    = strings.Split("growth,lifecycle,crm,brand,product,mobile,commerce,partnerships,emea,apac,,", ",")
)

// Rows returns n rows, the newest change first. The same seed results in the same rows.
func Rows(n int, seed uint64) []engine.Summary {
	out := make([]engine.Summary, 0, n)
	for row := range All(n, seed) {
		out = append(out, row)
	}
	return out
}

// All returns the rows of [Rows] one by one.
func All(n int, seed uint64) iter.Seq2[engine.Summary, error] {
	return func(yield func(engine.Summary, error) bool) {
		g := generator{rand.New(rand.NewPCG(seed, 1)), n}
		for i := range n {
			if !yield(g.row(i), nil) {
				return
			}
		}
	}
}

type generator struct {
	*rand.Rand
	n int
}

func (g *generator) pick(list []string) string {
	// Some are much more frequent than others.
	return list[min(g.IntN(len(list)), g.IntN(len(list)))]
}

func (g *generator) row(i int) engine.Summary {
	// The changes lie within three years, denser towards now.
	back := float64(i) / float64(max(g.n, 1))
	updated := Now.Add(-time.Duration(back*back*float64(3*365*24*time.Hour)) - time.Duration(i)*time.Millisecond).Truncate(time.Millisecond)
	created := updated.Add(-time.Duration(g.IntN(60*24)) * time.Hour)
	person := g.pick(first) + "." + g.pick(last) + "@example.com"
	sum := engine.Summary{
		Head: engine.Head{
			ID: fmt.Sprintf("%08x%06x%010x", created.Unix(), g.IntN(1<<24), i), CreatedBy: person, UpdatedBy: person,
			CreatedAt: created, UpdatedAt: updated, Revision: int64(1 + g.IntN(40)),
		},
		Name: g.name(), Team: g.pick(teams), AllUsers: g.IntN(5) == 0,
	}
	sum.CampaignID = sum.ID
	if g.IntN(10) == 0 {
		sum.Version = 1 + g.IntN(4)
	}
	if g.IntN(3) == 0 {
		sum.UpdatedBy = g.pick(first) + "." + g.pick(last) + "@example.com"
	}
	for range g.IntN(4) {
		if t := g.pick(tagNames); !sum.HasTag([]string{t}) {
			sum.Tags = append(sum.Tags, t)
		}
	}
	g.kind(&sum)
	g.status(&sum)
	return sum
}

// name makes a name of about 35 characters, in the ways that people write them.
func (g *generator) name() string {
	parts := []string{}
	if g.IntN(3) > 0 {
		parts = append(parts, g.pick(seasons))
	}
	parts = append(parts, g.pick(subjects))
	for range g.IntN(3) {
		parts = append(parts, g.pick(details))
	}
	switch g.IntN(5) {
	case 0:
		parts = append(parts, fmt.Sprintf("2%03d-%02d-%02d", 24+g.IntN(3), 1+g.IntN(12), 1+g.IntN(28)))
	case 1:
		parts = append(parts, fmt.Sprintf("#%d", g.IntN(100_000)))
	}
	switch g.IntN(6) {
	case 0:
		return strings.ReplaceAll(strings.ToLower(strings.Join(parts, "_")), " ", "_")
	case 1:
		return strings.Join(parts, " - ")
	case 2:
		return strings.ToUpper(strings.Join(parts, " "))
	}
	return strings.Join(parts, " ")
}

func (g *generator) kind(sum *engine.Summary) {
	sum.Channel = catalog.Push
	switch n := g.IntN(20); {
	case n < 8:
		sum.Channel = catalog.Email
	case n == 8:
		sum.Channel = catalog.SMS
	case n == 9:
		sum.Channel = catalog.WhatsApp
	}
	types := []engine.DeliveryType{catalog.OneTime, catalog.OneTime, catalog.OneTime, catalog.Periodic, catalog.EventTriggered, catalog.BusinessEventTriggered}
	sum.DeliveryType = types[g.IntN(len(types))]
	if sum.Channel == catalog.Push {
		for _, p := range catalog.Platforms {
			if g.IntN(3) > 0 {
				sum.Platforms = append(sum.Platforms, string(p))
			}
		}
	}
}

// status chooses for old campaigns states in which campaigns end, and new ones those in which they live.
func (g *generator) status(sum *engine.Summary) {
	states := []engine.State{
		catalog.Draft, catalog.Draft, catalog.Draft, catalog.Active, catalog.Scheduled, catalog.Paused, catalog.Sent, catalog.Stopped,
	}
	if Now.Sub(sum.UpdatedAt) > 60*24*time.Hour {
		states = []engine.State{catalog.Draft, catalog.Active, catalog.Sent, catalog.Sent, catalog.Sent, catalog.Stopped, catalog.Archived}
	}
	sum.Status = states[g.IntN(len(states))]
	switch sum.Status {
	case catalog.Draft:
		return
	case catalog.Scheduled:
		sum.Start = Now.Add(time.Duration(1+g.IntN(30*24*60)) * time.Minute)
	default:
		sum.Start = sum.UpdatedAt.Add(time.Duration(g.IntN(48)) * time.Hour)
	}
	if sum.DeliveryType != catalog.OneTime {
		if g.IntN(2) == 0 && sum.Status.Live() {
			sum.End = Now.Add(time.Duration(30+g.IntN(365)) * 24 * time.Hour)
		}
		return
	}
	sum.End = sum.Start.Add(5 * time.Minute)
	if sum.Status == catalog.Sent {
		sum.SentTime = sum.Start
	}
}
