<?php
/**
 * What visitors get of texts where SEOPress shows them.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Post;

defined( 'ABSPATH' ) || exit;

/** Which text counts, by SEOPress's rules; its variables are filled in by itself. */
final class Seo_Seopress_Texts {

	/** Second names of variables, which a page knows and the service that fills them in does not (9.7.4). */
	const NAMES = array(
		'title'                => 'post_title',
		'excerpt'              => 'post_excerpt',
		'wc_single_short_desc' => 'post_excerpt',
		'sitename'             => 'sitetitle',
		'sitedesc'             => 'tagline',
		'date'                 => 'post_date',
	);

	/**
	 * A post's own text, else the template of its type; without one WordPress's title, and no description, but for one
	 * that was emptied: then the excerpt or the text. The front page has the texts of the site in place of a template, the
	 * page that lists the posts has none (seopress_titles_the_title() and its like in options-titles-metas.php,
	 * seopress_social_twitter_title_hook() and its like in options-social.php, 9.7.4).
	 *
	 * @param WP_Post  $post The post.
	 * @param string[] $own  What the post holds, by name as in Seo_Effect::TEXTS.
	 * @param bool     $on   Whether the titles are switched on.
	 * @return array[] By name, as Seo_Effect::first() gives it.
	 */
	public static function of( WP_Post $post, array $own, $on ) {
		if ( ! function_exists( 'seopress_get_service' ) ) {
			return array();
		}
		$own   = array_map(
			function ( $text ) use ( $post ) {
				return self::filled( $text, $post );
			},
			$own
		);
		$about = $on ? self::template( $post, 'desc' ) : null;
		$texts = array(
			'title'       => Seo_Effect::first(
				array(
					'post' => $on ? $own['title'] : '',
				) + self::made( $post, $on ? self::template( $post, 'title' ) : '' ) + array(
					'default' => Seo_Effect::document_title( $post ),
				)
			),
			'description' => Seo_Effect::first(
				array(
					'post' => $on ? $own['description'] : '',
				) + self::made( $post, $about ) + array(
					'content' => '' === $about && '' === Seo_Effect::place( $post ) ? self::filled( '%%post_excerpt%%', $post ) : '',
				)
			),
			'canonical'   => Seo_Effect::first(
				array(
					'post'    => $own['canonical'],
					'default' => (string) get_permalink( $post ),
				)
			),
		);
		return $texts + self::social( $post, $own, $texts, $on );
	}

	/**
	 * What networks get: a post's own texts, else title and description. The page that lists the posts has them only where
	 * it holds a title and a description itself.
	 *
	 * @param WP_Post  $post  The post.
	 * @param string[] $own   What the post holds, filled in.
	 * @param array[]  $texts Title and description as Seo_Effect::first() gives them.
	 * @param bool     $on    Whether the titles are switched on.
	 * @return array[]
	 */
	private static function social( WP_Post $post, array $own, array $texts, $on ) {
		$social = (array) get_option( 'seopress_social_option_name', array() );
		$by_og  = ! empty( $social['seopress_social_twitter_card_og'] ) && ! empty( $social['seopress_social_facebook_og'] );
		$lists  = 'posts' === Seo_Effect::place( $post );
		$found  = array();
		foreach ( array( 'title', 'description' ) as $name ) {
			$og   = $own[ 'og.' . $name ];
			$rest = array(
				$name     => $lists && 'post' !== $texts[ $name ]['by'] ? '' : $texts[ $name ]['value'],
				'content' => 'description' === $name && ! $on && ! $lists && has_excerpt( $post ) ? self::filled( '%%post_excerpt%%', $post ) : '',
			);

			$found[ 'og.' . $name ]      = Seo_Effect::first( array( 'post' => $og ) + $rest );
			$found[ 'twitter.' . $name ] = Seo_Effect::first(
				array(
					'post' => $own[ 'twitter.' . $name ],
					'og'   => $by_og ? $og : '',
				) + $rest
			);
		}
		return $found;
	}

	/**
	 * The template of a title or a description.
	 *
	 * @param WP_Post $post The post.
	 * @param string  $part title or desc.
	 * @return mixed
	 */
	private static function template( WP_Post $post, $part ) {
		$options = seopress_get_service( 'TitleOption' );
		$title   = 'title' === $part;
		switch ( Seo_Effect::place( $post ) ) {
			case 'front':
				return $title ? $options->getHomeSiteTitle() : $options->getHomeDescriptionTitle();
			case 'posts':
				return '';
		}
		return $title ? $options->getSingleCptTitle( $post->ID ) : $options->getSingleCptDesc( $post->ID );
	}

	/**
	 * A template filled in, with whose it is.
	 *
	 * @param WP_Post $post     The post.
	 * @param mixed   $template The template.
	 * @return string[]
	 */
	private static function made( WP_Post $post, $template ) {
		return array( 'front' === Seo_Effect::place( $post ) ? 'site' : 'type' => self::filled( $template, $post ) );
	}

	/**
	 * A text with its variables filled in.
	 *
	 * @param mixed   $text The text.
	 * @param WP_Post $post The post.
	 * @return string
	 * @throws \UnexpectedValueException For a custom field, which is filled in while a page is shown only.
	 */
	private static function filled( $text, WP_Post $post ) {
		if ( ! is_string( $text ) || '' === $text || false === strpos( $text, '%%' ) ) {
			return Seo_Effect::plain( $text );
		}
		if ( false !== strpos( $text, '%%_' ) ) {
			throw new \UnexpectedValueException( 'Custom fields are filled in while a page is shown only.' );
		}
		foreach ( self::NAMES as $name => $known ) {
			$text = str_replace( "%%$name%%", "%%$known%%", $text );
		}
		$context = seopress_get_service( 'ContextPage' )->buildContextWithCurrentId( $post->ID )->getContext();
		return Seo_Effect::plain( seopress_get_service( 'TagsToString' )->replace( $text, $context ) );
	}
}
